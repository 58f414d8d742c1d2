"""Solutions of equations, which nested programs find: of linear equations, and roots.

The solver is an ordinary program, such as a loop; the solution's derivative follows from the equation alone, by the
implicit function theorem. So the equation is a nested program, too, and derivatives solve a linear equation instead of
differentiating the loop. Nested programs are closed: captured values are passed as leading operands, the same to each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, final

from treadle_ir.core.families import ControlFlow
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import Type
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.primitives.control import check_effects, check_types
from treadle_ir.process.frozen_classes import frozen


def _check_constants(name: str, constants: int, operands: Sequence[Type]) -> None:
    if not 0 <= constants <= len(operands):
        raise ArgumentError(
            f"{name}: {constants} operands are constants, but there are {len(operands)}"
        )


def _check_program(
    name: str, which: str, program: Program, given: Sequence[Type], solution: Sequence[Type]
) -> None:
    """Refuse a program whose parameters do not match `given`, or whose first results do not match `solution`."""
    check_types(name, given, program.parameter_types, which)
    returned = program.result_types[: len(solution)]
    check_types(f"{name}: {which}", returned, solution, "the solution", item="result")


@register
@final
@frozen
class LinearSolve(ControlFlow):
    """The `x` with `matvec(x) = b` that `solve` finds, and the further results of `solve`.

    Operands are constants, then `b`; results are `x`, then the further results of `solve`, which have no derivatives.
    `transpose_solve` solves the transposed equation; without it the equation can be transposed only if it is
    `symmetric`, and then `solve` serves both.

    Constraints:
        (C1) the count of constants is not negative, and there are as many operands
        (C2) all programs take the constants and values of the types of `b`
        (C3) `matvec` returns the types of `b`; the others return these first
        (C4) effects are allowed in control flow
    """

    name: ClassVar[str] = "linear_solve"
    matvec: Program
    solve: Program
    transpose_solve: Program | None = None
    constants: int = 0
    symmetric: bool = False

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types that `solve` returns."""
        _check_constants("linear_solve", self.constants, operands)  # C1
        b = operands[self.constants :]
        for which, program in self.programs().items():  # C2, C3
            _check_program("linear_solve", f"`{which}`", program, operands, b)
        returned = self.matvec.result_types
        check_types("linear_solve: `matvec`", returned, b, "`b`", item="result")
        check_effects("linear_solve", self.programs())  # C4
        return self.solve.result_types

    def programs(self) -> Mapping[str, Program]:
        """Return the linear map, and the solvers for it and for its transpose."""
        programs = {"matvec": self.matvec, "solve": self.solve}
        if self.transpose_solve is not None:
            programs["transpose_solve"] = self.transpose_solve
        return programs


@register
@final
@frozen
class Root(ControlFlow):
    """An `x` with `function(x) = 0` that `solve` finds from a guess, and the further results of `solve`.

    Operands are constants, then the guess; results are `x`, then the further results of `solve`, which have no
    derivatives. `tangent_solve` takes the constants, `x` and a right-hand side `y`, and returns the `u` for which the
    derivative of `function` at `x` in the direction `u` is `y`. It is linear in `y`.

    Constraints:
        (C1) the count of constants is not negative, and there are as many operands
        (C2) `function` and `solve` take the constants and values of the types of the guess
        (C3) `tangent_solve` takes the constants, then `x` and `y`, both of the types of the guess
        (C4) `function` and `tangent_solve` return the types of the guess; `solve` returns these first
        (C5) effects are allowed in control flow
    """

    name: ClassVar[str] = "root"
    function: Program
    solve: Program
    tangent_solve: Program
    constants: int = 0

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types that `solve` returns."""
        _check_constants("root", self.constants, operands)  # C1
        guess = operands[self.constants :]
        _check_program("root", "`solve`", self.solve, operands, guess)  # C2, C4
        both = (*operands, *guess)
        for which, program, given in (
            ("`function`", self.function, operands),  # C2
            ("`tangent_solve`", self.tangent_solve, both),  # C3
        ):
            _check_program("root", which, program, given, guess)
            check_types(f"root: {which}", program.result_types, guess, "the guess", item="result")
        check_effects("root", self.programs())  # C5
        return self.solve.result_types

    def programs(self) -> Mapping[str, Program]:
        """Return the function, and the solvers for its root and for the root's tangent."""
        return {
            "function": self.function,
            "solve": self.solve,
            "tangent_solve": self.tangent_solve,
        }

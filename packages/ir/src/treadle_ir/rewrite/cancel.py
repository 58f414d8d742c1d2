"""The named simplification `cancel_add_sub`: `(x + y) - x` and `(y + x) - x` are `y`.

For integers the cancellation is exact: it is always on, without conditions. On floats it must be requested by name.
Careful numerical code computes a sum, subtracts an operand again, and uses the rounding error: Kahan's and
Neumaier's sums, TwoSum, Dekker's splitting. Most of it uses the sum a second time, and most numbers to round by are
constants, so the rule fires only where the sum has no other use and neither operand is a constant; but
programs with `b - ((a + b) - a)`, or that round by an argument, exist, too.

Constants are literals, captured values, parameters of nested programs (whose callers may pass constants), and values
computed from constants alone.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, final

from treadle_ir.core.dtypes import is_floating, is_integer
from treadle_ir.core.equality import has_programs, inside_out
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import ArrayType
from treadle_ir.core.values import Atom, Value
from treadle_ir.primitives.elementwise import Add, Subtract
from treadle_ir.rewrite.forward import Applied, is_atom, standing_for, substituted
from treadle_ir.rewrite.nested import rebuilt


def cancel_add_sub(
    program: Program, captured: int = 0, *, floats: bool = True, applied: Applied | None = None
) -> Program:
    """Cancel integers, and floats if `floats` is true, in a program and in the programs nested in it.

    The first `captured` parameters are constants. `applied` hears of each sum and difference that cancel.

    Without this pass `(1 + 0.001) - 1` is 0.0010000467 in f32. Where x is infinite or nan, or x + y overflows, the
    result is still y, though it would be nan or infinite without the pass. The rule does not fire if y is a scalar that
    is broadcast to the shape of x.
    """
    made: dict[int, Program] = {}
    result = program
    for each in inside_out(program):
        constants = captured if each is program else len(each.parameters)
        result = made[id(each)] = _Pass(rebuilt(each, made), constants, floats, applied).run()
    return result


@final
class _Pass:
    """One pass over one program."""

    def __init__(
        self, program: Program, captured: int, floats: bool, applied: Applied | None
    ) -> None:
        self.applied: Final = applied
        self.program: Final = program
        self.floats: Final = floats
        self.constants: Final[set[Atom]] = {*program.parameters[:captured]}
        self.sums: Final[dict[Atom, Equation]] = {}
        self.uses: Final[Counter[Atom]] = Counter(program.results)
        for equation in program.equations:
            self.uses.update(equation.operands)

    def run(self) -> Program:
        """Return the program after the pass; the same object if nothing cancels."""
        instead: dict[Value, Atom] = {}
        equations: list[Equation] = []
        for original in self.program.equations:
            equation = substituted(original, instead)
            primitive = type(equation.primitive)
            if primitive is Subtract and (atom := self.cancelled(equation)) is not None:
                rewritten = standing_for(equation, atom)
                if self.applied is not None and rewritten is not None:
                    self.applied("cancel_add_sub", equation, [self.sums[equation.operands[0]]])
                if isinstance(rewritten, (list, tuple)):  # a conversion that makes y strong
                    equations += rewritten
                    continue
                if rewritten is not None:
                    assert not isinstance(rewritten, (list, tuple))
                    (result,) = equation.results
                    instead[result] = rewritten  # type: ignore[assignment]  # an atom
                    self.uses[rewritten] += self.uses[result]  # type: ignore[index]
                    continue
            elif primitive is Add:
                self.sums[equation.results[0]] = equation
            if all(map(self.is_constant, equation.operands)) and not has_programs(
                equation.primitive
            ):
                self.constants.update(equation.results)
            equations.append(equation)
        if len(equations) == len(self.program.equations) and not instead:
            same = zip(equations, self.program.equations, strict=True)
            if all(new is old for new, old in same):
                return self.program
        results = [instead.get(x, x) if type(x) is Value else x for x in self.program.results]
        return Program(self.program.parameters, tuple(equations), tuple(results))

    def is_constant(self, atom: Atom) -> bool:
        """Return whether an atom is known not to depend on the function's arguments."""
        return type(atom) is not Value or atom in self.constants

    def cancelled(self, equation: Equation) -> Atom | None:
        """Return the operand of a sum that remains when the other one is subtracted; None if the rule does not fire."""
        total, x = equation.operands
        added = self.sums.get(total)
        type = total.type
        if added is None or not isinstance(type, ArrayType):
            return None
        first, second = added.operands
        if is_floating(type.dtype):
            if not self.floats or self.uses[total] > 1:
                return None
            if self.is_constant(first) or self.is_constant(second):
                return None
        elif not is_integer(type.dtype):
            return None
        if is_atom(x, first):
            return second
        return first if is_atom(x, second) else None

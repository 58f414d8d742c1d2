"""Control flow: branches and loops around nested programs.

Nested programs are closed: values that a branch or a body captured are passed as leading operands. Parameters and
operands have the same types up to weak marks, and so have the branches of a `case` and the carries of a loop.
Loops return their carries without weak marks unless these were weak from the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, TypeVar, final

import numpy as np

from treadle_ir.core.effects import Effects
from treadle_ir.core.families import ControlFlow
from treadle_ir.core.flows import OPERANDS, Flows, Iterations, Origin, origins
from treadle_ir.core.operand_groups import ScanOperands, ScanResults, WhileOperands
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.sizes import symbolic_dim_bounds
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError, DTypeError, ShapeError
from treadle_ir.process.frozen_classes import frozen

T = TypeVar("T")
_grouped: Final = (
    tuple.__new__
)  # the constructors, which supply defaults for groups, take three times as long


def check_types(
    what: str,
    given: Sequence[Type],
    expected: Sequence[Type],
    of_what: str,
    *,
    item: str = "operand",
) -> None:
    """Refuse types that differ in more than weak marks; the error names the first."""
    if len(given) != len(expected):
        raise ShapeError(
            f"{what}: there are {len(given)} {item}s, but {of_what} has {len(expected)}"
        )
    for position, (have, want) in enumerate(zip(given, expected, strict=True)):
        if have is not want and have.strong() != want.strong():
            differs = isinstance(have, ArrayType) and isinstance(want, ArrayType)
            kind = DTypeError if differs and have.shape == want.shape else ShapeError  # type: ignore[attr-defined]
            raise kind(f"{what}: {item} {position} is {have}, but {of_what} has {want} there")


def check_effects(name: str, programs: Mapping[str, Program]) -> None:
    """Refuse nested programs with effects that are not allowed in control flow."""
    for where, program in programs.items():
        for effect in program.effects:
            if not effect.allowed_in_loops:
                raise ArgumentError(
                    f"{name}: the {where} has the effect `{effect.name}`, which has no place in control flow",
                    fix="move the operation out of the branch or loop",
                )


def _weak_where_both(types: Sequence[Type], others: Sequence[Type]) -> tuple[Type, ...]:
    """Return the types, each weak only if both are."""
    return tuple(
        [
            type
            if not isinstance(type, ArrayType) or (isinstance(other, ArrayType) and other.weak)
            else type.strong()
            for type, other in zip(types, others, strict=True)
        ]
    )


@register
@final
@frozen
class Case(ControlFlow):
    """The results of one of several programs, selected by operand 0.

    The index is clamped: below 0 means the first branch, beyond the end the last. The other operands are passed to the
    branch. Only the selected branch runs.

    Constraints:
        (C1) there is at least one branch
        (C2) operand 0 is a scalar i32
        (C3) the other operands have the types of the parameters of every branch
        (C4) all branches return the same types
        (C5) effects are allowed in control flow

    Origin: StableHLO specification, `case` (which takes the last branch for a negative index).
    """

    name: ClassVar[str] = "case"
    branches: tuple[Program, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types that the branches return, each weak if it is weak in all branches."""
        if not self.branches:  # C1
            raise ArgumentError("case: there must be at least one branch")
        index = operands[0] if operands else None
        if not isinstance(index, ArrayType) or index.shape or index.dtype != np.int32:  # C2
            raise DTypeError(
                f"case: operand 0 chooses the branch and must be i32[], but it is {index}",
                fix="convert it to a 32-bit integer",
            )
        results: tuple[Type, ...] = self.branches[0].result_types
        for position, branch in enumerate(self.branches):
            name = f"branch {position}"
            check_types("case", operands[1:], branch.parameter_types, name)  # C3
            check_types(
                f"case: {name}", branch.result_types, results, "branch 0", item="result"
            )  # C4
            results = _weak_where_both(results, branch.result_types)
        check_effects("case", self.programs())  # C5
        return results

    def programs(self) -> Mapping[str, Program]:
        """Return the branches, `branch 0` first."""
        return {f"branch {i}": branch for i, branch in enumerate(self.branches)}

    def with_regions(self, programs: Sequence[Program]) -> Case:
        """Return the same operation around other programs."""
        return Case(tuple(programs))

    def flows(self) -> Flows:
        """Return the flows: all operands but the first to each branch, and the results of any branch to the results."""
        count = len(self.branches)
        entry = tuple(range(1, 1 + len(self.branches[0].parameters)))
        places = range(len(self.branches[0].results))
        exits = tuple(zip(*[origins(branch, places) for branch in range(count)], strict=True))
        predicate = Origin(OPERANDS, 0)
        return Flows(self.branches, (entry,) * count, exits, predicate=predicate)


@register
@final
@frozen
class While(ControlFlow):
    """A loop that runs its body as long as its condition holds.

    Operands are the condition's constants, the body's constants, the carries; results are the carries after
    the last iteration. With `trip_bound`, the loop ends after that many iterations at the latest; such a loop can be
    differentiated in reverse mode.

    Constraints:
        (C1) counts of constants are not negative and leave room for the carries; trip_bound is not negative
        (C2) `cond` takes its constants and the carries, and returns one scalar boolean
        (C3) `body` takes its constants and the carries, and returns the carries
        (C4) effects are allowed in control flow

    Origin: StableHLO specification, `while`.
    """

    name: ClassVar[str] = "while"
    cond: Program
    body: Program
    cond_constants: int = 0
    body_constants: int = 0
    trip_bound: int | None = None

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the carries' types."""
        of_cond, of_body = self.cond_constants, self.body_constants
        if of_cond < 0 or of_body < 0 or of_cond + of_body > len(operands):  # C1
            raise ArgumentError(
                f"while: {of_cond} and {of_body} operands are constants, but there are {len(operands)}"
            )
        if self.trip_bound is not None and self.trip_bound < 0:
            raise ArgumentError(f"while: trip_bound is {self.trip_bound}, but must not be negative")
        groups = self.operand_groups(operands)
        check_types("while", groups.for_cond, self.cond.parameter_types, "the condition")  # C2
        result = self.cond.result_types
        if len(result) != 1 or result[0].strong() != ArrayType((), np.dtype(np.bool_)):
            raise DTypeError(
                f"while: the condition returns {', '.join(map(str, result)) or 'nothing'}, but must return bool[]",
                fix="compare, or reduce with `all` or `any`",
            )
        parameters = self.body.parameter_types
        check_types("while", groups.for_body, parameters, "the body")  # C3
        check_types("while", self.body.result_types, groups.carry, "the carry", item="result")
        check_effects("while", self.programs())  # C4
        both = _weak_where_both(groups.carry, self.body_groups(parameters).carry)
        return _weak_where_both(both, self.body.result_types)

    def operand_groups(self, items: Sequence[T]) -> WhileOperands[T]:
        """Divide a list with an item for each operand into its groups."""
        first, last = self.cond_constants, self.cond_constants + self.body_constants
        return _grouped(WhileOperands, (items[:first], items[first:last], items[last:]))

    def body_groups(self, items: Sequence[T]) -> WhileOperands[T]:
        """Divide a list with an item for each parameter of the body into the groups of its operands."""
        count = self.body_constants
        return _grouped(WhileOperands, ((), items[:count], items[count:]))

    def with_programs(self, cond: Program, body: Program, operands: WhileOperands[Any]) -> While:
        """Return this loop with other programs, for operands in these groups."""
        return While(
            cond, body, len(operands.cond_consts), len(operands.body_consts), self.trip_bound
        )

    def programs(self) -> Mapping[str, Program]:
        """Return the condition and the body."""
        return {"cond": self.cond, "body": self.body}

    def with_regions(self, programs: Sequence[Program]) -> While:
        """Return the same operation around other programs."""
        return replace(self, cond=programs[0], body=programs[1])

    def flows(self) -> Flows:
        """Return the flows: initial carries and the body's results to both programs' carries, and to the results."""
        first = self.cond_constants + self.body_constants
        count = len(self.body.results)
        carries = range(first, first + count)
        returned = origins(1, range(count))
        return Flows(
            (self.cond, self.body),
            (
                (*range(self.cond_constants), *carries),
                tuple(range(self.cond_constants, first + count)),
            ),
            tuple(zip(origins(OPERANDS, carries), returned, strict=True)),
            ((None,) * self.cond_constants + returned, (None,) * self.body_constants + returned),
            Origin(0, 0),
            Iterations(self.trip_bound),
        )


@register
@final
@frozen
class Scan(ControlFlow):
    """A loop with a fixed number of iterations: over the leading axis of arrays, with results stacked.

    Operands are constants, carries, xs; results are the carries after the last iteration, then the ys. Iteration `i`
    gives the body the constants, the carries and `x[i]` for each of the xs; the body returns the next carries
    and `y[i]` for each of the ys. With `reverse`, the iterations go from the last index to the first. Compiled
    code holds `unroll` iterations one after the other.

    Constraints:
        (C1) length is not negative, unroll is at least 1, counts leave room for xs and ys
        (C2) xs have a leading axis of size `length`
        (C3) `body` takes the constants, the carries and elements of the xs
        (C4) `body` returns the carries first
        (C5) effects are allowed in control flow
    """

    name: ClassVar[str] = "scan"
    body: Program
    length: int
    constants: int = 0
    carries: int = 0
    reverse: bool = False
    unroll: int = 1

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the carries' types, then the ys' types with a leading axis."""
        fixed = self.constants + self.carries
        if self.length < 0 or self.unroll < 1:  # C1
            raise ArgumentError(
                f"scan: length is {self.length} and unroll is {self.unroll}, but must be at least 0 and 1"
            )
        if self.constants < 0 or self.carries < 0 or fixed > len(operands):
            raise ArgumentError(
                f"scan: {self.constants} operands are constants and {self.carries} are carries, "
                f"but there are {len(operands)}"
            )
        consts, carry, xs = self.operand_groups(operands)
        elements: list[Type] = []
        for position, x in enumerate(xs):
            if not isinstance(x, ArrayType) or not x.shape or x.shape[0] != self.length:  # C2
                raise ShapeError(
                    f"scan: operand {fixed + position} is {x}, but must have a leading axis of size {self.length}",
                    fix="give all arrays that are scanned over the same leading size, which is the length",
                )
            elements.append(x.with_shape(x.shape[1:]))
        parameters = self.body.parameter_types
        check_types("scan", (*consts, *carry, *elements), parameters, "the body")  # C3
        returned = self.result_groups(self.body.result_types)
        check_types("scan", returned.carry, carry, "the carry", item="result")  # C4
        check_effects("scan", self.programs())  # C5
        both = _weak_where_both(carry, self.operand_groups(parameters).carry)
        stacked = []
        for y in returned.ys:
            assert isinstance(y, ArrayType), "ys are arrays"
            stacked.append(y.with_shape((self.length, *y.shape)))
        return (*_weak_where_both(both, returned.carry), *stacked)

    def effects(self, *operands: Type) -> Effects:
        """Return the body's effects, unless the loop has no iterations."""
        return self.body.effects if self.length else frozenset()

    def operand_groups(self, items: Sequence[T]) -> ScanOperands[T]:
        """Divide a list with an item for each operand, or each parameter of the body, into its groups."""
        first = self.constants
        last = first + self.carries
        return _grouped(ScanOperands, (items[:first], items[first:last], items[last:]))

    def result_groups(self, items: Sequence[T]) -> ScanResults[T]:
        """Divide a list with an item for each result into its groups."""
        return _grouped(ScanResults, (items[: self.carries], items[self.carries :]))

    def with_body(
        self, body: Program, operands: ScanOperands[Any], reverse: bool | None = None
    ) -> Scan:
        """Return this loop with another body, for operands in these groups, and in the direction `reverse` if given."""
        consts, carry, _ = operands
        direction = self.reverse if reverse is None else reverse
        return Scan(body, self.length, len(consts), len(carry), direction, self.unroll)

    def programs(self) -> Mapping[str, Program]:
        """Return the body."""
        return {"body": self.body}

    def with_regions(self, programs: Sequence[Program]) -> Scan:
        """Return the same operation around other programs."""
        return replace(self, body=programs[0])

    def flows(self) -> Flows:
        """Return the flows: the body's first results to its carries, its results or initial carries to the results."""
        body, length, carries = self.body, self.length, self.carries
        first = self.constants
        last, count = first + carries, len(body.parameters)
        returned = origins(0, range(len(body.results)))
        carried = returned[:carries]
        exits: tuple[tuple[Origin, ...], ...] = tuple(zip(returned, strict=True))
        if (length if type(length) is int else symbolic_dim_bounds(length)[0]) <= 0:
            initial = origins(OPERANDS, range(first, last))
            exits = (*zip(initial, carried, strict=True), *exits[carries:])
        return Flows(
            (body,),
            (tuple(range(count)),),
            exits,
            ((*[None] * first, *carried, *[None] * (count - last)),),
            iterations=Iterations(length, True, self.unroll, self.reverse),
            sliced=last,
            stacked=carries,
        )

"""Batching of solutions: one equation for each batch element, solved together.

The solution has a batch if any operand has. All programs are batched alike, with the batch of what is solved for at
axis 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, final

from treadle_batching.axis import Axis, Dim
from treadle_batching.moving import at_front
from treadle_batching.programs import BatchedProgram, batch_program
from treadle_batching.registry import batch_rule
from treadle_ir import Operand, Operands, Program, bind
from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.process import frozen
from treadle_ir.tracing import derived, share_captures

Solving: TypeAlias = LinearSolve | Root


@final
@frozen(eq=False)
class _Batched:
    """An equation over a batch. `captured` goes first among its constants; `dims` belong to the results."""

    primitive: Solving
    captured: tuple[Operand, ...]
    dims: tuple[Dim, ...]


def _programs(
    axis: Axis, dims: Sequence[Dim], solution: int, programs: Sequence[Program]
) -> tuple[list[Program], tuple[Operand, ...], list[BatchedProgram]]:
    """Programs over a batch that take the same captured operands, these, and what was batched.

    `dims` belong to the constants; all other parameters and the first `solution` results have their batch at axis 0.
    """
    batched = [
        batch_program(
            each,
            axis,
            [*dims, *[0] * (len(each.parameters) - len(dims))],
            [position < solution for position in range(len(each.results))],
        )
        for each in programs
    ]
    made, captured = share_captures(
        [each.program for each in batched], [each.captured for each in batched]
    )
    return made, tuple(captured), batched


def _bound(
    batched: _Batched, constants: int, axis: Axis, operands: Operands, dims: Sequence[Dim]
) -> tuple[Operands, Sequence[Dim]]:
    others = [
        at_front(x, dim, axis)
        for x, dim in zip(operands[constants:], dims[constants:], strict=True)
    ]
    results = bind(batched.primitive, *batched.captured, *operands[:constants], *others)
    return results, batched.dims


@batch_rule(LinearSolve)
def linear_solve_batch(
    primitive: LinearSolve, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The linear map and what solves it, batched."""
    constants = primitive.constants
    of_constants = tuple(dims[:constants])

    def make() -> _Batched:
        given = [*primitive.programs().values()]
        made, captured, batched = _programs(axis, of_constants, len(operands) - constants, given)
        transposed = made[2] if len(made) > 2 else None
        return _Batched(
            LinearSolve(
                made[0], made[1], transposed, len(captured) + constants, primitive.symmetric
            ),
            captured,
            batched[1].dims,
        )

    key = "linear_solve", axis, of_constants, primitive
    return _bound(derived(primitive.solve, key, make), constants, axis, operands, dims)


@batch_rule(Root)
def root_batch(
    primitive: Root, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The function, and what finds its root and the root's tangent, batched."""
    constants = primitive.constants
    of_constants = tuple(dims[:constants])

    def make() -> _Batched:
        given = [*primitive.programs().values()]
        made, captured, batched = _programs(axis, of_constants, len(operands) - constants, given)
        return _Batched(
            Root(made[0], made[1], made[2], len(captured) + constants), captured, batched[1].dims
        )

    key = "root", axis, of_constants, primitive
    return _bound(derived(primitive.solve, key, make), constants, axis, operands, dims)

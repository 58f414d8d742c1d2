"""Batching of solutions: one equation for each batch element, solved together.

The solution has a batch if any operand has. All programs are batched alike, with the batch of what is solved for at
axis 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import at_front
from treadle_batching.programs import BatchedPrograms, batch_programs
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind
from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.tracing import derived


def solution_batch(
    primitive: LinearSolve | Root, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The equation, and the programs that solve it, batched."""
    count = primitive.constants
    of_constants = tuple(dims[:count])
    programs = primitive.programs()
    solution = len(operands) - count

    def make() -> BatchedPrograms:
        # What is solved for has a batch; further results of a solver have one if they need it.
        forced = [[i < solution for i in range(len(each.results))] for each in programs.values()]
        return batch_programs([*programs.values()], axis, of_constants, forced)

    made = derived(primitive.solve, ("solution", axis, of_constants, primitive), make)
    by_name = dict(zip(programs, made.programs, strict=True))
    changes: dict[str, Any] = {**by_name, "constants": len(made.captured) + count}
    batched = replace(primitive, **changes)
    others = [at_front(x, dim, axis) for x, dim in zip(operands[count:], dims[count:], strict=True)]
    results = bind(batched, *made.captured, *operands[:count], *others)
    return results, made.dims[[*programs].index("solve")]


batch_rule(LinearSolve)(solution_batch)
batch_rule(Root)(solution_batch)

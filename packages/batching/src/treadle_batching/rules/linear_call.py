"""Batching of linear calls: the function and its transpose over a batch; what the function is linear in has one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from treadle_batching.axis import Axis, Dim
from treadle_batching.moving import at_front
from treadle_batching.programs import batch_program
from treadle_batching.registry import batch_rule
from treadle_ir import Operand, Operands, bind
from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.process import frozen
from treadle_ir.tracing import derived, share_captures


@final
@frozen(eq=False)
class _Batched:
    primitive: LinearCall
    captured: tuple[Operand, ...]


@batch_rule(LinearCall)
def linear_call_batch(
    primitive: LinearCall, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """Both programs, batched."""
    count = primitive.residuals
    of_residuals = tuple(dims[:count])

    def make() -> _Batched:
        both = [
            batch_program(
                each,
                axis,
                [*of_residuals, *[0] * (len(each.parameters) - count)],
                [True] * len(each.results),
            )
            for each in (primitive.program, primitive.transposed)
        ]
        (program, transposed), captured = share_captures(
            [each.program for each in both], [each.captured for each in both]
        )
        return _Batched(LinearCall(program, transposed, len(captured) + count), tuple(captured))

    key = "linear_call", axis, of_residuals, primitive.transposed, count
    batched = derived(primitive.program, key, make)
    linear = [at_front(x, dim, axis) for x, dim in zip(operands[count:], dims[count:], strict=True)]
    results = bind(batched.primitive, *batched.captured, *operands[:count], *linear)
    return results, [0] * len(results)

"""Batching of linear calls: the function and its transpose over a batch; what the function is linear in has one."""

from __future__ import annotations

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import at_front
from treadle_batching.programs import BatchedPrograms, batch_programs
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind
from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.tracing import derived


@batch_rule(LinearCall)
def linear_call_batch(
    primitive: LinearCall, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """Both programs, batched."""
    count = primitive.residuals
    of_residuals = tuple(dims[:count])

    def make() -> BatchedPrograms:
        both = primitive.program, primitive.transposed
        forced = [[True] * len(each.results) for each in both]
        return batch_programs(both, axis, of_residuals, forced)

    key = "linear_call", axis, of_residuals, primitive.transposed, count
    batched = derived(primitive.program, key, make)
    linear = [at_front(x, dim, axis) for x, dim in zip(operands[count:], dims[count:], strict=True)]
    program, transposed = batched.programs
    call = LinearCall(program, transposed, len(batched.captured) + count)
    results = bind(call, *batched.captured, *operands[:count], *linear)
    return results, [0] * len(results)

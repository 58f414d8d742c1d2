"""Batch rule of shard_map: each device has all batch elements of its parts."""

from __future__ import annotations

from dataclasses import replace

from treadle_batching.axis import Axis, Dim, Dims, WithDims
from treadle_batching.programs import batch_program
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind, type_of, types_of
from treadle_ir.core import DimShardings
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.sharding import fitted_shard_map
from treadle_ir.tracing import checked_manual_axes


@batch_rule(ShardMap)
def shard_map_batch(primitive: ShardMap, axis: Axis, operands: Operands, dims: Dims, /) -> WithDims:
    """A shard_map of the batched body; the batch is not cut."""
    with primitive.inside():
        batched = batch_program(primitive.body, axis, dims)
    around: list[DimShardings] = [((),) * type_of(x).ndim for x in batched.captured]
    over = replace(
        primitive,
        body=batched.program,
        in_layouts=(*around, *map(_with_batch, primitive.in_layouts, dims)),
        out_layouts=tuple(map(_with_batch, primitive.out_layouts, batched.dims)),
    )
    given = (*batched.captured, *operands)
    over = fitted_shard_map(over, [type.varying for type in types_of(given)], checked_manual_axes())
    return bind(over, *given), batched.dims


def _with_batch(layout: DimShardings, dim: Dim) -> DimShardings:
    return layout if dim is None else (*layout[:dim], (), *layout[dim:])

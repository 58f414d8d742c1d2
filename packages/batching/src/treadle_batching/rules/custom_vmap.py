"""Batching of functions with batching rules of their own: by these."""

from __future__ import annotations

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import move
from treadle_batching.registry import batch_rule
from treadle_ir import ArgumentError, Operands
from treadle_ir.primitives.custom_vmap import (
    CustomVmapCall,
    CustomVmapStaged,
    FlatBatchRule,
)


def _by_rule(rule: FlatBatchRule, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    flags = tuple([dim is not None for dim in dims])
    placed = [x if dim is None else move(x, dim, 0) for x, dim in zip(operands, dims, strict=True)]
    results, batched = rule(axis.size, placed, flags)
    return results, [0 if flag else None for flag in batched]


@batch_rule(CustomVmapCall)
def custom_vmap_function_batch(
    primitive: CustomVmapCall, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The user's rule."""
    return _by_rule(primitive.batching.rule, axis, operands, dims)


@batch_rule(CustomVmapStaged)
def custom_vmap_call_batch(
    primitive: CustomVmapStaged, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The user's rule, run now; what the function captured is not batched, as the rule closes over it."""
    captured = primitive.batching.captured
    if any(dim is not None for dim in dims[:captured]):
        raise ArgumentError(
            f"`{primitive.label}` has a batching rule of its own, which covers its arguments only, but is vectorised "
            "over an array that it closes over",
            fix="pass the array as an argument",
        )
    return _by_rule(primitive.batching.rule, axis, operands[captured:], dims[captured:])

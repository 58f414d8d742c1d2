"""Batching of foreign calls: one call for the whole batch, or one for each element, as `vmap_method` says."""

from __future__ import annotations

from dataclasses import replace

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import at_front
from treadle_batching.registry import batch_rule
from treadle_ir import (
    ArrayType,
    MissingRuleError,
    Operand,
    Operands,
    bind,
    ops,
    stage,
    type_of,
)
from treadle_ir.primitives.control import Scan
from treadle_ir.primitives.foreign import AxisOrder, NativeCall


@batch_rule(NativeCall)
def foreign_call_batch(
    primitive: NativeCall, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """As `vmap_method` says: one by one, or at once with unbatched operands as they are, broadcast, or with an axis."""
    method = primitive.vmap_method
    if method is None:
        raise MissingRuleError(
            f"{primitive.name}: vmap does not know how to run {primitive.target} on a batch",
            fix='pass vmap_method="sequential" (one by one), "expand_dims" or "broadcast_all" (at once)',
        )
    if method in ("sequential", "sequential_unrolled"):
        results = _one_by_one(primitive, axis, operands, dims)
    else:
        results = bind(_batched(primitive, axis, dims), *at_once(method, operands, dims, axis))
    return results, [0] * len(results)


def at_once(method: str, operands: Operands, dims: Dims, axis: Axis) -> list[Operand]:
    """Return the operands as a call for the whole batch takes them, by its `vmap_method`."""
    placed: list[Operand] = []
    for x, dim in zip(operands, dims, strict=True):
        if dim is not None or method == "broadcast_all":
            placed.append(at_front(x, dim, axis))
        elif method == "expand_dims":
            placed.append(ops.reshape(x, shape=(1, *type_of(x).shape)))
        else:
            placed.append(x)
    return placed


def _batched(primitive: NativeCall, axis: Axis, dims: Dims) -> NativeCall:
    """The call for the whole batch: every layout gets the batch as its outermost axis.

    Memory is taken over only where operand and result are both batched.
    """
    legacy, broadcast = (
        primitive.vmap_method == "legacy_vectorized",
        primitive.vmap_method == "broadcast_all",
    )
    return replace(  # type: ignore[type-var]  # the members of the family are dataclasses
        primitive,
        result_types=tuple(
            [ArrayType((axis.size, *x.shape), x.dtype, x.weak) for x in primitive.result_types]
        ),
        input_layouts=tuple(
            [
                order if dim is None and legacy else _outermost(order)
                for order, dim in zip(primitive.input_layouts, dims, strict=True)
            ]
        ),
        output_layouts=tuple(map(_outermost, primitive.output_layouts)),
        input_output_aliases=tuple(
            [
                (operand, result)
                for operand, result in primitive.input_output_aliases
                if broadcast or dims[operand] is not None
            ]
        ),
    )


def _outermost(order: AxisOrder) -> AxisOrder:
    return (0, *[axis + 1 for axis in order])


def _one_by_one(primitive: NativeCall, axis: Axis, operands: Operands, dims: Dims) -> Operands:
    """A loop over the batch; all at once in the program for "sequential_unrolled"."""
    flags = [dim is not None for dim in dims]
    shared = [x for x, flag in zip(operands, flags, strict=True) if not flag]
    mapped = [
        at_front(x, dim, axis) for x, dim in zip(operands, dims, strict=True) if dim is not None
    ]

    def element(*given: Operand) -> Operands:
        constants, elements = iter(given[: len(shared)]), iter(given[len(shared) :])
        return bind(primitive, *[next(elements) if flag else next(constants) for flag in flags])

    types = [type_of(x).unsharded for x in shared]
    types += [type_of(x).with_shape(type_of(x).shape[1:]) for x in mapped]
    unroll = max(1, axis.size) if primitive.vmap_method == "sequential_unrolled" else 1
    loop = Scan(stage(element, *types).program, axis.size, len(shared), unroll=unroll)
    return bind(loop, *shared, *mapped)

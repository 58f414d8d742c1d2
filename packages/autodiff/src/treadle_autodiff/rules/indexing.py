"""Derivatives of indexing. Indices have no tangents; gather and scatter_add are each other's transposes, and so are
dynamic_slice and dynamic_update_slice.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    LinearOperands,
    jvp_rule,
    transpose_rule,
    transpose_rules,
)
from treadle_autodiff.rules.reduce import shift
from treadle_autodiff.tangents import Linear, Tangent, Tangents, Zero, add, materialise, zeros
from treadle_ir import ArrayType, MissingRuleError, Operand, Operands, bind, ops, type_of
from treadle_ir.primitives.indexing import (
    DynamicSlice,
    DynamicUpdateSlice,
    Gather,
    Scatter,
    ScatterAdd,
    ScatterFamily,
    ScatterMaximum,
    ScatterMinimum,
    ScatterMultiply,
)

_COUNT = np.dtype(np.uint32)


@jvp_rule(Gather)
def gather_jvp(primitive: Gather, primals: Operands, tangents: Tangents) -> Duals:
    """The same gather of the tangent; what is filled in does not depend on the operand."""
    operand, indices = primals
    results = bind(primitive, operand, indices)
    if isinstance(tangents[0], Zero):
        return results, [Zero(type_of(results[0]).tangent())]
    return results, bind(_filling_zeros(primitive), tangents[0], indices)


def _filling_zeros(primitive: Gather) -> Gather:
    return replace(primitive, fill_value=0) if primitive.mode == "fill" else primitive


@transpose_rule(Gather)
def gather_transpose(
    primitive: Gather, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """Each element's cotangent added to where it came from."""
    operand, indices = operands
    assert isinstance(operand, Linear)
    assert not isinstance(indices, Linear)
    added = ScatterAdd(
        update_window_dims=primitive.offset_dims,
        inserted_window_dims=primitive.collapsed_slice_dims,
        scatter_dims_to_operand_dims=primitive.start_index_map,
        operand_batching_dims=primitive.operand_batching_dims,
        scatter_indices_batching_dims=primitive.start_indices_batching_dims,
        mode=primitive.mode,
        indices_are_sorted=primitive.indices_are_sorted,
        unique_indices=primitive.unique_indices,
    )
    return [bind(added, zeros(operand.type), indices, materialise(cotangents[0]))[0], None]


def _gather_back(
    primitive: ScatterFamily, x: Operand, indices: Operand, updates: ArrayType, fill: float | None
) -> Operand:
    """The elements of `x` that stand where each update goes."""
    source, sizes = type_of(x), primitive.window_sizes(type_of(x), updates)
    if any([size > n for size, n in zip(sizes, source.shape, strict=True)]):
        # `x` is empty: no update goes there.
        nothing = source.dtype.type(0 if fill is None else fill)
        return ops.broadcast_in_dim(nothing, shape=updates.shape, dimensions=())
    # A gather clips indices that a scatter drops, which may change the order of vectors of several entries.
    in_order = primitive.mode != "fill" or len(primitive.scatter_dims_to_operand_dims) < 2
    gathered = Gather(
        offset_dims=primitive.update_window_dims,
        collapsed_slice_dims=primitive.inserted_window_dims,
        start_index_map=primitive.scatter_dims_to_operand_dims,
        slice_sizes=sizes,
        operand_batching_dims=primitive.operand_batching_dims,
        start_indices_batching_dims=primitive.scatter_indices_batching_dims,
        mode=primitive.mode,
        fill_value=fill,
        indices_are_sorted=primitive.indices_are_sorted and in_order,
        unique_indices=primitive.unique_indices,
    )
    return bind(gathered, x, indices)[0]


def _as_other(primitive: ScatterFamily, kind: type[ScatterFamily]) -> ScatterFamily:
    """Another way to combine, at the same places."""
    return kind(
        primitive.update_window_dims,
        primitive.inserted_window_dims,
        primitive.scatter_dims_to_operand_dims,
        primitive.operand_batching_dims,
        primitive.scatter_indices_batching_dims,
        primitive.mode,
        primitive.indices_are_sorted,
        primitive.unique_indices,
    )


def _updates_type(operand: Operand | Linear) -> ArrayType:
    type = operand.type if isinstance(operand, Linear) else type_of(operand)
    assert isinstance(type, ArrayType)
    return type


def _names_once(primitive: ScatterFamily, indices: Operand) -> bool:
    """Return whether no element is updated twice: it is promised, or there is only one index vector."""
    shape = type_of(indices).shape[:-1]
    paired = primitive.scatter_indices_batching_dims
    return primitive.unique_indices or all(
        size == 1 or axis in paired for axis, size in enumerate(shape)
    )


@jvp_rule(ScatterAdd)
def scatter_add_jvp(primitive: ScatterAdd, primals: Operands, tangents: Tangents) -> Duals:
    """Linear in operand and updates."""
    operand, indices, updates = primals
    d_operand, _, d_updates = tangents
    results = bind(primitive, operand, indices, updates)
    if isinstance(d_updates, Zero):
        return results, [d_operand]
    return results, bind(primitive, materialise(d_operand), indices, d_updates)


@transpose_rule(ScatterAdd)
def scatter_add_transpose(
    primitive: ScatterAdd, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """Return the result's cotangent for the operand, and for each update the cotangent at its place."""
    operand, indices, updates = operands
    assert not isinstance(indices, Linear)
    ct = materialise(cotangents[0])
    ct_updates = _gather_back(primitive, ct, indices, _updates_type(updates), 0)
    return [
        ct if isinstance(operand, Linear) else None,
        None,
        ct_updates if isinstance(updates, Linear) else None,
    ]


@jvp_rule(Scatter)
def scatter_jvp(primitive: Scatter, primals: Operands, tangents: Tangents) -> Duals:
    """Replace tangents where elements are replaced; where updates collide, by the tangent of the update that stays."""
    operand, indices, updates = primals
    d_operand, _, d_updates = tangents
    if isinstance(d_updates, Zero) or _names_once(primitive, indices):
        once = (
            replace(primitive, unique_indices=True)
            if _names_once(primitive, indices)
            else primitive
        )
        d_result = bind(once, materialise(d_operand), indices, materialise(d_updates))
        return bind(primitive, operand, indices, updates), d_result
    # Which of two updates of an element stays is not defined, so the updates are numbered (from 1), the numbers
    # scattered, and only those updates used whose number stands in the end; the results are made from the same
    # choice. A sum, since each element then gets at most one update.
    batch = type_of(indices).shape[:-1]
    shape = type_of(updates).shape
    count = math.prod(batch)
    numbers = ops.reshape(ops.iota(shape=(count,), dtype=_COUNT, dimension=0), shape=batch)
    numbers = ops.add(numbers, np.uint32(1))
    spread = tuple([axis for axis in range(len(shape)) if axis not in primitive.update_window_dims])
    numbered = ops.broadcast_in_dim(numbers, shape=shape, dimensions=spread)
    blank = zeros(ArrayType(type_of(operand).shape, _COUNT))
    stands = bind(primitive, blank, indices, numbered)[0]
    untouched = ops.compare(stands, zeros(ArrayType((), _COUNT)), direction="eq")
    used = ops.compare(
        _gather_back(primitive, stands, indices, type_of(updates), 0), numbered, direction="eq"
    )
    adding = _as_other(primitive, ScatterAdd)

    def chosen(x: Operand, u: Operand) -> Operand:
        kept = ops.select(untouched, x, zeros(type_of(x).strong()))
        return bind(adding, kept, indices, ops.select(used, u, zeros(type_of(u).strong())))[0]

    return [chosen(operand, updates)], [chosen(materialise(d_operand), d_updates)]


@transpose_rule(Scatter)
def scatter_transpose(
    primitive: Scatter, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """The operand's cotangent is the result's but zero where replaced; the updates' is what stands there."""
    # Only what scatter_jvp makes comes here: updates that do not collide, or updates that are all zero.
    operand, indices, updates = operands
    assert not isinstance(indices, Linear)
    ct = materialise(cotangents[0])
    ct_operand: Tangent | None = None
    if isinstance(operand, Linear):
        ct_operand = bind(primitive, ct, indices, zeros(_updates_type(updates)))[0]
    if not isinstance(updates, Linear):
        return [ct_operand, None, None]
    return [ct_operand, None, _gather_back(primitive, ct, indices, _updates_type(updates), 0)]


@jvp_rule(ScatterMultiply)
def scatter_multiply_jvp(
    primitive: ScatterMultiply, primals: Operands, tangents: Tangents
) -> Duals:
    """Linear in the operand; in the updates, the product rule."""
    operand, indices, updates = primals
    d_operand, _, d_updates = tangents
    results = bind(primitive, operand, indices, updates)
    total: Tangent = d_operand
    if not isinstance(d_operand, Zero):
        total = bind(primitive, d_operand, indices, updates)[0]
    if not isinstance(d_updates, Zero):
        others = _gather_back(primitive, operand, indices, type_of(updates), 0)
        if not _names_once(primitive, indices):
            others = ops.multiply(
                others, _products_of_others(primitive, type_of(operand).shape, indices, updates)
            )
        adding = _as_other(primitive, ScatterAdd)
        total = add(
            total,
            bind(adding, zeros(type_of(operand)), indices, ops.multiply(d_updates, others))[0],
        )
    return results, [total]


def _products_of_others(
    primitive: ScatterFamily, shape: tuple[int, ...], indices: Operand, updates: Operand
) -> Operand:
    """For each number in the updates, the product of the others that go to the same element.

    The numbers are sorted by the element they go to, and products taken within its run, of all that come before
    and of all that come after, by doubling: after a step each place holds the product of twice as many factors.
    There is no division, so that zeros need no special case and second derivatives are right.

    Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms" (1986), for the doubling.
    """
    own = type_of(updates).shape
    count, size = math.prod(own), math.prod(shape)
    dtype = np.dtype(np.int32 if max(count, size) < 2**31 else np.int64)
    elements = ops.reshape(ops.iota(shape=(size,), dtype=dtype, dimension=0), shape=shape)
    target = _gather_back(primitive, elements, indices, type_of(updates), size)
    places = ops.iota(shape=(count,), dtype=dtype, dimension=0)
    run, places, factors = ops.sort(
        (ops.reshape(target, shape=(count,)), places, ops.reshape(updates, shape=(count,))),
        dimension=0,
    )
    one = type_of(updates).dtype.type(1)

    def from_run(x: Operand, distance: int) -> Operand:
        same = ops.compare(run, shift(run, distance, 0, -1), direction="eq")
        return ops.select(same, shift(x, distance, 0, 1), one)

    others = ops.broadcast_in_dim(one, shape=(count,), dimensions=())
    for direction in (1, -1):
        product: Operand = from_run(factors, direction)
        distance = 1
        while distance < count:
            product = ops.multiply(product, from_run(product, direction * distance))
            distance *= 2
        others = ops.multiply(others, product)
    _, others = ops.sort((places, others), dimension=0)
    return ops.reshape(others, shape=own)


@transpose_rule(ScatterMultiply)
def scatter_multiply_transpose(
    primitive: ScatterMultiply, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """The operand's cotangent is multiplied by the same updates.

    Raises:
        MissingRuleError: the updates are linear.
    """
    _, indices, updates = operands
    assert not isinstance(indices, Linear)
    if isinstance(updates, Linear):
        raise MissingRuleError(
            "scatter_multiply is not linear in its updates: what they do not touch keeps its value",
            fix="differentiate with vjp or grad instead of linear_transpose",
        )
    return [bind(primitive, materialise(cotangents[0]), indices, updates)[0], None, None]


def extreme_jvp(
    primitive: ScatterMaximum | ScatterMinimum, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The tangent of the equal value, the operand's element or an update; the mean where several are equal.

    This is the same choice as for maximum and minimum.
    """
    operand, indices, updates = primals
    d_operand, _, d_updates = tangents
    result = bind(primitive, operand, indices, updates)[0]
    adding = _as_other(primitive, ScatterAdd)
    whole, parts = type_of(result).strong(), type_of(updates).strong()
    back = _gather_back(primitive, result, indices, parts, None)
    from_operand = ops.compare(operand, result, direction="eq")
    from_updates = ops.compare(updates, back, direction="eq")
    counts = bind(
        adding,
        ops.convert(from_operand, dtype=whole.dtype),
        indices,
        ops.convert(from_updates, dtype=whole.dtype),
    )[0]
    total = ops.select(from_operand, materialise(d_operand), zeros(whole))
    if not isinstance(d_updates, Zero):
        total = bind(adding, total, indices, ops.select(from_updates, d_updates, zeros(parts)))[0]
    return [result], [ops.divide(total, counts)]


jvp_rule(ScatterMaximum)(extreme_jvp)
jvp_rule(ScatterMinimum)(extreme_jvp)
for _extreme in (ScatterMaximum, ScatterMinimum):
    transpose_rules.absent(
        _extreme, because="it is not linear in any operand; its jvp rule uses scatter_add"
    )


@jvp_rule(DynamicSlice)
def dynamic_slice_jvp(primitive: DynamicSlice, primals: Operands, tangents: Tangents) -> Duals:
    """The same slice of the tangent."""
    operand, *starts = primals
    results = bind(primitive, operand, *starts)
    if isinstance(tangents[0], Zero):
        return results, [Zero(type_of(results[0]).tangent())]
    return results, bind(primitive, tangents[0], *starts)


@transpose_rule(DynamicSlice)
def dynamic_slice_transpose(
    primitive: DynamicSlice, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """The cotangent put into zeros at the same place."""
    operand, *starts = operands
    assert isinstance(operand, Linear)
    known = [start for start in starts if not isinstance(start, Linear)]
    ct = ops.dynamic_update_slice(zeros(operand.type), materialise(cotangents[0]), *known)
    return [ct, *[None] * len(starts)]


@jvp_rule(DynamicUpdateSlice)
def dynamic_update_slice_jvp(
    primitive: DynamicUpdateSlice, primals: Operands, tangents: Tangents
) -> Duals:
    """The tangent of the update put into the operand's at the same place."""
    d_operand, d_update, *_ = tangents
    results = bind(primitive, *primals)
    if isinstance(d_operand, Zero) and isinstance(d_update, Zero):
        return results, [Zero(type_of(results[0]).tangent())]
    return results, bind(primitive, materialise(d_operand), materialise(d_update), *primals[2:])


@transpose_rule(DynamicUpdateSlice)
def dynamic_update_slice_transpose(
    primitive: DynamicUpdateSlice, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """The operand's cotangent is the result's with zeros in the slice; the update's is that slice."""
    operand, update, *starts = operands
    known = [start for start in starts if not isinstance(start, Linear)]
    ct = materialise(cotangents[0])
    type = _updates_type(update)
    return [
        ops.dynamic_update_slice(ct, zeros(type), *known) if isinstance(operand, Linear) else None,
        ops.dynamic_slice(ct, *known, sizes=type.shape) if isinstance(update, Linear) else None,
        *[None] * len(starts),
    ]

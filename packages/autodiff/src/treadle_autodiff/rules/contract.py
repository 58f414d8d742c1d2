"""Derivatives of contractions. Both are bilinear, and closed under transposition: the cotangent of one operand is
a contraction of the result's cotangent with the other operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    LinearOperands,
    jvp_rule,
    not_linear,
    transpose_rule,
)
from treadle_autodiff.tangents import Linear, Tangent, Tangents, Zero, add, materialise
from treadle_ir import ArrayType, Operand, Operands, bind, ops, type_of, types_of
from treadle_ir.core import inferred
from treadle_ir.primitives.contract import Convolution, DotGeneral, dilated, free_axes


def bilinear_jvp(
    primitive: DotGeneral | Convolution, primals: Operands, tangents: Tangents, /
) -> Duals:
    """d(x * y) = dx * y + x * dy."""
    x, y = primals
    dx, dy = tangents
    result_types, _ = inferred(primitive, types_of(primals))
    total: Tangent = Zero(result_types[0].tangent())
    if not isinstance(dx, Zero):
        total = add(total, bind(primitive, dx, y)[0])
    if not isinstance(dy, Zero):
        total = add(total, bind(primitive, x, dy)[0])
    return bind(primitive, x, y), [total]


jvp_rule(DotGeneral)(bilinear_jvp)
jvp_rule(Convolution)(bilinear_jvp)


def _matched(cotangent: Operand, known: Operand) -> tuple[Operand, Operand]:
    """Cotangent and known operand in one element type: the cotangent's, which may be wider (`element_type`)."""
    dtype = type_of(cotangent).dtype
    return cotangent, known if type_of(known).dtype == dtype else ops.convert(known, dtype=dtype)


def _as_type(x: Operand, type: ArrayType) -> Operand:
    return x if type_of(x).dtype == type.dtype else ops.convert(x, dtype=type.dtype, weak=type.weak)


def _ordered(x: Operand, axes: Sequence[int]) -> Operand:
    """`x` transposed so that its axis i becomes axis axes[i]."""
    if list(axes) == list(range(len(axes))):
        return x
    return ops.transpose(x, permutation=tuple(sorted(range(len(axes)), key=axes.__getitem__)))


@transpose_rule(DotGeneral)
def dot_general_transpose(
    primitive: DotGeneral, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """Contract the cotangent with the other operand over the other operand's free axes."""
    # z[b, i, j] = sum_k x[b, i, k] y[b, k, j]:  ct_x[b, i, k] = sum_j ct[b, i, j] y[b, k, j], and
    # ct_y[b, k, j] = sum_i x[b, i, k] ct[b, i, j]. Remaining axes come out ascending, so they are put back in place.
    ct = materialise(cotangents[0])
    x, y = operands
    (batch_x, batch_y), (sum_x, sum_y) = primitive.batching, primitive.contracting
    batch = tuple(range(len(batch_x)))
    if isinstance(x, Linear):
        if isinstance(y, Linear):
            raise not_linear(primitive)
        assert isinstance(x.type, ArrayType)
        ct, y = _matched(ct, y)
        ndim, rank = type_of(y).ndim, type_of(ct).ndim
        free_x, free_y = free_axes(x.type.ndim, batch_x, sum_x), free_axes(ndim, batch_y, sum_y)
        product = bind(
            DotGeneral(
                (tuple(range(rank - len(free_y), rank)), free_y),
                (batch, batch_y),
                primitive.precision,
            ),
            ct,
            y,
        )[0]
        partner = dict(zip(sum_y, sum_x, strict=True))
        places = (*batch_x, *free_x, *(partner[axis] for axis in sorted(sum_y)))
        return [_as_type(_ordered(product, places), x.type), None]
    assert isinstance(y, Linear)
    assert isinstance(y.type, ArrayType)
    ct, x = _matched(ct, x)
    ndim = type_of(x).ndim
    free_x, free_y = free_axes(ndim, batch_x, sum_x), free_axes(y.type.ndim, batch_y, sum_y)
    over = tuple(range(len(batch), len(batch) + len(free_x)))
    product = bind(DotGeneral((free_x, over), (batch_x, batch), primitive.precision), x, ct)[0]
    partner = dict(zip(sum_x, sum_y, strict=True))
    places = (*batch_y, *(partner[axis] for axis in sorted(sum_x)), *free_y)
    return [None, _as_type(_ordered(product, places), y.type)]


def _split(x: Operand, axis: int, count: int) -> Operand:
    """`x` with an axis of size n as two, of sizes count and n / count."""
    shape = type_of(x).shape
    return ops.reshape(x, shape=(*shape[:axis], count, shape[axis] // count, *shape[axis + 1 :]))


def _move_groups(x: Operand, source: int, destination: int, count: int) -> Operand:
    """`x` with the outer part (of size `count`) of one axis made the outer part of another one."""
    if count == 1:
        return x
    # the groups stand at `source`, what is left of the axis after them
    x = _split(x, source, count)
    # where the other axis stands now
    target = destination if destination < source else destination + 1
    ndim = type_of(x).ndim
    order = [axis for axis in range(ndim) if axis != source]
    order.insert(order.index(target), source)
    x = ops.transpose(x, permutation=tuple(order))
    at = order.index(source)
    shape = type_of(x).shape
    return ops.reshape(x, shape=(*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :]))


def _swapped(spec: tuple[int, ...]) -> tuple[int, ...]:
    return (spec[1], spec[0], *spec[2:])


@transpose_rule(Convolution)
def convolution_transpose(
    primitive: Convolution, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """A convolution of the cotangent with the reversed kernel, or of the operand with the cotangent."""
    # Along one axis, with stride s, low padding p, dilations l and r, operand positions i, places o, kernel k:
    #     z[o] = sum over k, i with  o s + k r = i l + p  of  x[i] w[k].
    # ct_x[i] sums ct[o] w[k] over the same pairs: with k' = K - 1 - k this is  i l + (p' - p) = o s + k' r ... a
    # convolution of ct (dilation s) with reversed w, stride l and low padding (K - 1) r - p.
    # ct_w[k] sums x[i] ct[o]: a convolution of x (dilation l) with ct as the kernel (dilation s), stride r.
    # In both, the high padding is what makes the number of places right.
    ct = materialise(cotangents[0])
    x, kernel = operands
    if isinstance(x, Linear):
        if isinstance(kernel, Linear):
            raise not_linear(primitive)
        assert isinstance(x.type, ArrayType)
        return [_transpose_operand(primitive, ct, x.type, kernel), None]
    assert isinstance(kernel, Linear)
    assert isinstance(kernel.type, ArrayType)
    return [None, _transpose_kernel(primitive, ct, x, kernel.type)]


def _transpose_operand(
    primitive: Convolution, ct: Operand, x: ArrayType, kernel: Operand
) -> Tangent:
    ct, kernel = _matched(ct, kernel)
    window, places = type_of(kernel).shape, type_of(ct).shape
    if 0 in places or 0 in window:
        return Zero(x)
    padding = []
    for axis, (low, _) in enumerate(primitive.padding):
        size, width = x.shape[primitive.lhs_spec[2 + axis]], window[primitive.rhs_spec[2 + axis]]
        reach = dilated(width, primitive.rhs_dilation[axis]) - 1
        covered = dilated(places[primitive.out_spec[2 + axis]], primitive.strides[axis])
        padding.append((reach - low, dilated(size, primitive.lhs_dilation[axis]) - covered + low))
    # Input and output features change places; groups of output features become groups of input features.
    groups, batches = primitive.feature_group_count, primitive.batch_group_count
    kernel = _move_groups(kernel, primitive.rhs_spec[0], primitive.rhs_spec[1], groups * batches)
    kernel = ops.reverse(kernel, dimensions=primitive.rhs_spec[2:])
    result = bind(
        replace(
            primitive,
            strides=primitive.lhs_dilation,
            padding=tuple(padding),
            lhs_dilation=primitive.strides,
            lhs_spec=primitive.out_spec,
            rhs_spec=_swapped(primitive.rhs_spec),
            out_spec=primitive.lhs_spec,
            feature_group_count=groups * batches,
            batch_group_count=1,
            element_type=None,
        ),
        ct,
        kernel,
    )[0]
    moved = _move_groups(result, primitive.lhs_spec[1], primitive.lhs_spec[0], batches)
    return _as_type(moved, x)


def _transpose_kernel(
    primitive: Convolution, ct: Operand, x: Operand, kernel: ArrayType
) -> Tangent:
    ct, x = _matched(ct, x)
    sizes, places = type_of(x).shape, type_of(ct).shape
    if 0 in places or 0 in sizes:
        return Zero(kernel)
    padding = []
    for axis, (low, _) in enumerate(primitive.padding):
        size, width = (
            sizes[primitive.lhs_spec[2 + axis]],
            kernel.shape[primitive.rhs_spec[2 + axis]],
        )
        reach = dilated(width, primitive.rhs_dilation[axis]) - 1
        covered = dilated(places[primitive.out_spec[2 + axis]], primitive.strides[axis])
        padding.append((low, covered + reach - low - dilated(size, primitive.lhs_dilation[axis])))
    # The batch is summed over, so it takes the place of the features, and groups of one become groups of the other.
    result = bind(
        replace(
            primitive,
            strides=primitive.rhs_dilation,
            padding=tuple(padding),
            rhs_dilation=primitive.strides,
            lhs_spec=_swapped(primitive.lhs_spec),
            rhs_spec=_swapped(primitive.out_spec),
            out_spec=_swapped(primitive.rhs_spec),
            feature_group_count=primitive.batch_group_count,
            batch_group_count=primitive.feature_group_count,
            element_type=None,
        ),
        x,
        ct,
    )[0]
    return _as_type(result, kernel)

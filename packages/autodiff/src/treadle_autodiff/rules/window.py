"""Derivatives of sliding windows: sums are linear; extremes select, and so do their derivatives."""

from __future__ import annotations

from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Flat,
    LinearOperands,
    flat,
    jvp_rule,
    linear,
    transpose_rule,
    transpose_rules,
    unary_transpose_rule,
)
from treadle_autodiff.tangents import Linear, Tangent, Tangents, Zero, materialise
from treadle_ir import ArrayType, Operand, Operands, bind, type_of
from treadle_ir.primitives.contract import dilated
from treadle_ir.primitives.window import (
    ReduceWindowAdd,
    ReduceWindowFamily,
    ReduceWindowMaximum,
    ReduceWindowMinimum,
    SelectAndGatherAdd,
    SelectAndScatterAdd,
    Selection,
    WindowSelection,
)

linear(ReduceWindowAdd)


@unary_transpose_rule(ReduceWindowAdd)
def reduce_window_add_transpose(
    primitive: ReduceWindowAdd, ct: Operand, type: ArrayType, /
) -> Tangent:
    """Windows over the cotangent, with strides and base dilation exchanged."""
    # z[o] = sum of x[i] over i, k with  o s + k r = i l + p, so ct_x[i] = sum of ct[o] over the same pairs. With
    # k' = K - 1 - k:  o s + ((K - 1) r - p) = i l + k' r, a window sum with base dilation s and stride l.
    places = type_of(ct).shape
    if 0 in places:
        return Zero(type)
    padding = []
    for axis, (low, _) in enumerate(primitive.padding):
        reach = dilated(primitive.window_dimensions[axis], primitive.window_dilation[axis]) - 1
        covered = dilated(places[axis], primitive.window_strides[axis])
        size = dilated(type.shape[axis], primitive.base_dilation[axis])
        padding.append((reach - low, size - covered + low))
    return bind(
        ReduceWindowAdd(
            window_dimensions=primitive.window_dimensions,
            window_strides=primitive.base_dilation,
            padding=tuple(padding),
            base_dilation=primitive.window_strides,
            window_dilation=primitive.window_dilation,
        ),
        ct,
    )[0]


def extreme_jvp(
    primitive: ReduceWindowMaximum | ReduceWindowMinimum, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The tangent of the element that each window selects; of the first one where several are equal."""
    (x,), (dx,) = primals, tangents
    results = bind(primitive, x)
    if isinstance(dx, Zero):
        return results, [Zero(type_of(results[0]).tangent())]
    select: Selection = "ge" if isinstance(primitive, ReduceWindowMaximum) else "le"
    return results, bind(SelectAndGatherAdd(*_settings(primitive), select), dx, x)


jvp_rule(ReduceWindowMaximum)(extreme_jvp)
jvp_rule(ReduceWindowMinimum)(extreme_jvp)


def _settings(
    primitive: ReduceWindowFamily | WindowSelection,
) -> tuple[
    tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...], tuple[int, ...], tuple[int, ...]
]:
    return (
        primitive.window_dimensions,
        primitive.window_strides,
        primitive.padding,
        primitive.base_dilation,
        primitive.window_dilation,
    )


for _extreme in (ReduceWindowMaximum, ReduceWindowMinimum):
    transpose_rules.absent(
        _extreme, because="it is not linear; its jvp rule uses select_and_gather_add"
    )


flat(WindowSelection, Flat.POSITION, operands=(1,))


@jvp_rule(WindowSelection)
def window_selection_jvp(
    primitive: WindowSelection, primals: Operands, tangents: Tangents
) -> Duals:
    """Linear in the first operand; what is selected does not change with x but at ties."""
    results = bind(primitive, *primals)
    if isinstance(tangents[0], Zero):
        return results, [Zero(type_of(results[0]).tangent())]
    return results, bind(primitive, tangents[0], primals[1])


def selection_transpose(
    primitive: SelectAndGatherAdd | SelectAndScatterAdd,
    cotangents: Tangents,
    operands: LinearOperands,
    /,
) -> Cotangents:
    """Cotangents of windows are added to where they select; a window takes the cotangent from where it selects."""
    x = operands[1]
    assert not isinstance(x, Linear)
    gathers = isinstance(primitive, SelectAndGatherAdd)
    back = SelectAndScatterAdd if gathers else SelectAndGatherAdd
    opposite = back(*_settings(primitive), primitive.select)
    return [bind(opposite, materialise(cotangents[0]), x)[0], None]


transpose_rule(SelectAndGatherAdd)(selection_transpose)
transpose_rule(SelectAndScatterAdd)(selection_transpose)

"""Derivatives of sliding windows: sums are linear; extremes select, and so do their derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_autodiff.registry import Flat, flat, jvp_rule, linear, transpose_rule, transpose_rules
from treadle_autodiff.tangents import Linear, Tangent, Zero, materialise
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


@transpose_rule(ReduceWindowAdd)
def reduce_window_add_transpose(
    primitive: ReduceWindowAdd, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear]
) -> Sequence[Tangent | None]:
    """Windows over the cotangent, with strides and base dilation exchanged."""
    # z[o] = sum of x[i] over i, k with  o s + k r = i l + p, so ct_x[i] = sum of ct[o] over the same pairs. With
    # k' = K - 1 - k:  o s + ((K - 1) r - p) = i l + k' r, a window sum with base dilation s and stride l.
    (x,) = operands
    assert isinstance(x, Linear)
    assert isinstance(x.type, ArrayType)
    ct = materialise(cotangents[0])
    places = type_of(ct).shape
    if 0 in places:
        return [Zero(x.type)]
    padding = []
    for axis, (low, _) in enumerate(primitive.padding):
        reach = dilated(primitive.window_dimensions[axis], primitive.window_dilation[axis]) - 1
        covered = dilated(places[axis], primitive.window_strides[axis])
        padding.append(
            (
                reach - low,
                dilated(x.type.shape[axis], primitive.base_dilation[axis]) - covered + low,
            )
        )
    return bind(
        ReduceWindowAdd(
            window_dimensions=primitive.window_dimensions,
            window_strides=primitive.base_dilation,
            padding=tuple(padding),
            base_dilation=primitive.window_strides,
            window_dilation=primitive.window_dilation,
        ),
        ct,
    )


def _extreme_jvp(
    primitive: ReduceWindowFamily, primals: Operands, tangents: Sequence[Tangent], select: Selection
) -> tuple[Operands, Sequence[Tangent]]:
    (x,) = primals
    results = bind(primitive, x)
    (dx,) = tangents
    if isinstance(dx, Zero):
        return results, [Zero(type_of(results[0]).tangent())]
    return results, bind(SelectAndGatherAdd(*_settings(primitive), select), dx, x)


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


@jvp_rule(ReduceWindowMaximum)
def reduce_window_maximum_jvp(
    primitive: ReduceWindowMaximum, primals: Operands, tangents: Sequence[Tangent]
) -> tuple[Operands, Sequence[Tangent]]:
    """The tangent of the element that each window selects; of the first one where several are equal."""
    return _extreme_jvp(primitive, primals, tangents, "ge")


@jvp_rule(ReduceWindowMinimum)
def reduce_window_minimum_jvp(
    primitive: ReduceWindowMinimum, primals: Operands, tangents: Sequence[Tangent]
) -> tuple[Operands, Sequence[Tangent]]:
    """The tangent of the element that each window selects; of the first one where several are equal."""
    return _extreme_jvp(primitive, primals, tangents, "le")


for _extreme in (ReduceWindowMaximum, ReduceWindowMinimum):
    transpose_rules.absent(
        _extreme, because="it is not linear; its jvp rule uses select_and_gather_add"
    )


flat(WindowSelection, Flat.POSITION, operands=(1,))


@jvp_rule(WindowSelection)
def window_selection_jvp(
    primitive: WindowSelection, primals: Operands, tangents: Sequence[Tangent]
) -> tuple[Operands, Sequence[Tangent]]:
    """Linear in the first operand; what is selected does not change with x but at ties."""
    results = bind(primitive, *primals)
    if isinstance(tangents[0], Zero):
        return results, [Zero(type_of(results[0]).tangent())]
    return results, bind(primitive, tangents[0], primals[1])


@transpose_rule(SelectAndGatherAdd)
def select_and_gather_add_transpose(
    primitive: SelectAndGatherAdd,
    cotangents: Sequence[Tangent],
    operands: Sequence[Operand | Linear],
) -> Sequence[Tangent | None]:
    """Each window's cotangent added to where it selects."""
    x = operands[1]
    assert not isinstance(x, Linear)
    scatter = SelectAndScatterAdd(*_settings(primitive), primitive.select)
    return [bind(scatter, materialise(cotangents[0]), x)[0], None]


@transpose_rule(SelectAndScatterAdd)
def select_and_scatter_add_transpose(
    primitive: SelectAndScatterAdd,
    cotangents: Sequence[Tangent],
    operands: Sequence[Operand | Linear],
) -> Sequence[Tangent | None]:
    """Each window takes the cotangent from where it selects."""
    x = operands[1]
    assert not isinstance(x, Linear)
    gather = SelectAndGatherAdd(*_settings(primitive), primitive.select)
    return [bind(gather, materialise(cotangents[0]), x)[0], None]

"""Lowering of sliding windows.

Selections are one pass over the array for each position in the window, so that ties and NaN come out the same
everywhere; XLA fuses the passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.lowering.reduce import wide
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import i64_array, i64_pairs
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.core.dtypes import greatest, least
from treadle_ir.primitives.window import (
    ReduceWindowAdd,
    ReduceWindowFamily,
    ReduceWindowMaximum,
    SelectAndGatherAdd,
    SelectAndScatterAdd,
    Windowed,
    WindowSelection,
)

_I32: Final = np.dtype(np.int32)


@lowering_rule(ReduceWindowFamily)
def reduce_window_lowering(
    context: LoweringContext, primitive: ReduceWindowFamily, x: HloValue
) -> HloValues:
    """One operation; narrow floats are added in f32."""
    type = emit.result_type(context)
    if not x.shape:
        return [x]
    identity: object = 0
    if isinstance(primitive, ReduceWindowAdd):
        op, x = "add", emit.convert(context, x, wide(x.dtype))
    elif isinstance(primitive, ReduceWindowMaximum):
        op, identity = "maximum", least(x.dtype)
    else:
        op, identity = "minimum", greatest(x.dtype)
    init = emit.scalar(context, identity, x.dtype)
    padding = primitive.padding
    if any(low < 0 or high < 0 for low, high in padding):  # XLA's windows take none; its pad does
        x = _padded(context, primitive, x, init)
        padding, base = ((0, 0),) * len(padding), (1,) * len(padding)
    else:
        base = primitive.base_dilation
    region = context.binary_region(f"stablehlo.{op}", init.type)
    attributes = {
        "window_dimensions": i64_array(primitive.window_dimensions),
        "window_strides": i64_array(primitive.window_strides),
        "base_dilations": i64_array(base),
        "window_dilations": i64_array(primitive.window_dilation),
        "padding": i64_pairs(padding),
    }
    reduced = ArrayType(type.shape, x.dtype)
    result = context.one("stablehlo.reduce_window", (x, init), reduced, attributes, (region,))
    return [emit.convert(context, result, type.dtype)]


def _padded(
    context: LoweringContext, primitive: Windowed, x: HloValue, value: HloValue
) -> HloValue:
    """The array with its holes and padding."""
    low, high = [pads[0] for pads in primitive.padding], [pads[1] for pads in primitive.padding]
    if not any(low) and not any(high) and all(hole == 1 for hole in primitive.base_dilation):
        return x
    return _pad(context, x, value, low, high, [hole - 1 for hole in primitive.base_dilation])


def _pad(
    context: LoweringContext,
    x: HloValue,
    value: HloValue,
    low: Sequence[int],
    high: Sequence[int],
    interior: Sequence[int],
) -> HloValue:
    shape = tuple(
        [
            before + n + max(n - 1, 0) * between + after
            for before, n, between, after in zip(low, x.shape, interior, high, strict=True)
        ]
    )
    attributes = {
        "edge_padding_low": i64_array(low),
        "edge_padding_high": i64_array(high),
        "interior_padding": i64_array(interior),
    }
    return context.one("stablehlo.pad", (x, value), ArrayType(shape, x.dtype), attributes)


def _offsets(primitive: Windowed) -> Iterator[list[int]]:
    """Yield the offset of each position in the window, in row-major order."""
    for position in np.ndindex(*primitive.window_dimensions):
        yield [at * hole for at, hole in zip(position, primitive.window_dilation, strict=True)]


def _seen(
    context: LoweringContext,
    x: HloValue,
    offset: Sequence[int],
    places: Sequence[int],
    strides: Sequence[int],
) -> HloValue:
    """Return the elements of a padded array that windows have at one position, for all places."""
    limit = [
        at + (n - 1) * stride + 1 for at, n, stride in zip(offset, places, strides, strict=True)
    ]
    attributes = {
        "start_indices": i64_array(offset),
        "limit_indices": i64_array(limit),
        "strides": i64_array(strides),
    }
    return context.one("stablehlo.slice", (x,), ArrayType(tuple(places), x.dtype), attributes)


def _choice(
    context: LoweringContext, primitive: WindowSelection, x: HloValue, places: tuple[int, ...]
) -> HloValue:
    """The number of the position that each place selects; -1 if none."""
    padded = _padded(context, primitive, x, emit.scalar(context, 0, x.dtype))
    real = None
    if padded is not x:
        ones = context.constant(True, ArrayType(x.shape, np.dtype(np.bool_)))
        real = _padded(context, primitive, ones, emit.scalar(context, False, ones.dtype))
    best, choice = None, context.constant(-1, ArrayType(places, _I32))
    none = choice
    for number, offset in enumerate(_offsets(primitive)):
        seen = _seen(context, padded, offset, places, primitive.window_strides)
        here = emit.like(context, choice, number)
        if best is None and real is None:
            best, choice = seen, here
            continue
        better = None
        if best is not None:
            holds = emit.compare(context, best, seen, primitive.select)
            better = emit.unary(context, "not", holds)
        if real is not None:
            exists = _seen(context, real, offset, places, primitive.window_strides)
            if better is not None:
                first = emit.compare(context, choice, none, "eq")
                better = emit.binary(context, "or", first, better)
                better = emit.binary(context, "and", exists, better)
            else:
                better = exists
        assert better is not None
        best = seen if best is None else emit.select(context, better, seen, best)
        choice = emit.select(context, better, here, choice)
    return choice


@lowering_rule(SelectAndGatherAdd)
def select_and_gather_add_lowering(
    context: LoweringContext, primitive: SelectAndGatherAdd, tangents: HloValue, x: HloValue
) -> HloValues:
    """The tangent seen at the selected position."""
    type = emit.result_type(context)
    result = context.constant(0, ArrayType(type.shape, type.dtype))
    if not type.size:
        return [result]
    choice = _choice(context, primitive, x, type.shape)
    padded = _padded(context, primitive, tangents, emit.scalar(context, 0, tangents.dtype))
    for number, offset in enumerate(_offsets(primitive)):
        hit = emit.compare(context, choice, emit.like(context, choice, number), "eq")
        seen = _seen(context, padded, offset, type.shape, primitive.window_strides)
        result = emit.select(context, hit, seen, result)
    return [result]


@lowering_rule(SelectAndScatterAdd)
def select_and_scatter_add_lowering(
    context: LoweringContext, primitive: SelectAndScatterAdd, source: HloValue, x: HloValue
) -> HloValues:
    """For each position, what was selected there, broadcast over the padded array; and their sum."""
    dtype = wide(x.dtype)
    if 0 in source.shape or 0 in x.shape:
        return [emit.like(context, x, 0)]
    choice = _choice(context, primitive, x, source.shape)
    zero = emit.scalar(context, 0, dtype)
    spread = emit.convert(context, source, dtype)
    nothing = emit.like(context, spread, 0)
    whole = [
        low + (n - 1) * hole + 1 + high
        for n, (low, high), hole in zip(
            x.shape, primitive.padding, primitive.base_dilation, strict=True
        )
    ]
    total = None
    for number, offset in enumerate(_offsets(primitive)):
        hit = emit.compare(context, choice, emit.like(context, choice, number), "eq")
        part = emit.select(context, hit, spread, nothing)
        after = [
            size - at - ((n - 1) * stride + 1)
            for size, at, n, stride in zip(
                whole, offset, source.shape, primitive.window_strides, strict=True
            )
        ]
        part = _pad(
            context, part, zero, offset, after, [stride - 1 for stride in primitive.window_strides]
        )
        total = part if total is None else emit.binary(context, "add", total, part)
    assert total is not None
    cut_low, cut_high = (
        [-pads[0] for pads in primitive.padding],
        [-pads[1] for pads in primitive.padding],
    )
    if any(cut_low) or any(cut_high):
        total = _pad(context, total, zero, cut_low, cut_high, [0] * len(whole))
    if any(hole > 1 for hole in primitive.base_dilation):
        total = _seen(context, total, [0] * len(whole), x.shape, primitive.base_dilation)
    return [emit.convert(context, total, x.dtype)]

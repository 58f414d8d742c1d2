"""NumPy kernels of sliding windows: a strided view, reduced; or one pass per place in the window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treadle_ir.core.dtypes import greatest, least
from treadle_ir.primitives.contract import window_counts
from treadle_ir.primitives.window import (
    ReduceWindowAdd,
    ReduceWindowFamily,
    ReduceWindowMaximum,
    SelectAndGatherAdd,
    SelectAndScatterAdd,
    Windowed,
    WindowSelection,
)
from treadle_ir.reference.contract import kept, spaced, windows
from treadle_ir.reference.reduce import accumulator
from treadle_ir.reference.registry import Elements, eval_rule


def _padded(primitive: Windowed, x: Elements, value: object) -> tuple[Elements, tuple[int, ...]]:
    """Return the array with its holes and padding, and the number of places along each axis."""
    counts = window_counts(
        x.shape,
        primitive.window_dimensions,
        primitive.window_strides,
        primitive.padding,
        primitive.base_dilation,
        primitive.window_dilation,
    )
    return spaced(
        x, value, tuple(range(x.ndim)), primitive.padding, primitive.base_dilation
    ), counts


@eval_rule(ReduceWindowFamily)
def reduce_window_eval(primitive: ReduceWindowFamily, x: Elements) -> list[Elements]:
    """Reduce a strided view with NumPy; narrow floats are added in f32 (NumPy makes no such views of some types)."""
    dtype = x.dtype
    identity: object = 0
    if not isinstance(primitive, ReduceWindowAdd):
        identity = least(dtype) if isinstance(primitive, ReduceWindowMaximum) else greatest(dtype)
    x = x.astype(accumulator(dtype), copy=False)
    padded, counts = _padded(primitive, x, identity)
    if 0 in counts:
        return [np.zeros(counts, dtype)]
    view = windows(
        padded,
        0,
        counts,
        primitive.window_dimensions,
        primitive.window_strides,
        primitive.window_dilation,
    )
    axes = tuple(range(x.ndim, 2 * x.ndim))
    if isinstance(primitive, ReduceWindowAdd):
        result = np.asarray(np.add.reduce(view, axis=axes, dtype=x.dtype))
    elif isinstance(primitive, ReduceWindowMaximum):
        result = np.asarray(np.maximum.reduce(view, axis=axes))
    else:
        result = np.asarray(np.minimum.reduce(view, axis=axes))
    return [result.astype(dtype, copy=False)]


def _visits(primitive: Windowed, counts: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """For each position in the window, in row-major order, the elements that all places see there."""
    for offset in np.ndindex(*primitive.window_dimensions):
        yield tuple(
            [
                slice(at * hole, at * hole + (count - 1) * stride + 1, stride)
                for at, hole, count, stride in zip(
                    offset, primitive.window_dilation, counts, primitive.window_strides, strict=True
                )
            ]
        )


def _selected(
    primitive: WindowSelection, x: Elements
) -> tuple[Elements, tuple[int, ...], Elements]:
    """Return the number of the position that each place selects (-1: none), the places, and the padded shape's mask."""
    padded, counts = _padded(primitive, x, np.zeros((), x.dtype))
    real, _ = _padded(primitive, np.ones(x.shape, np.bool_), False)
    best = np.zeros(counts, x.dtype)
    choice = np.full(counts, -1)
    holds = np.greater_equal if primitive.select == "ge" else np.less_equal
    if choice.size:
        for number, visit in enumerate(_visits(primitive, counts)):
            seen = padded[visit]
            better = real[visit] & ((choice < 0) | ~holds(best, seen))
            best = np.where(better, seen, best)
            choice[better] = number
    return choice, counts, real


@eval_rule(SelectAndGatherAdd)
def select_and_gather_add_eval(
    primitive: SelectAndGatherAdd, tangents: Elements, x: Elements
) -> list[Elements]:
    """One pass per position in the window: the tangents there, where it is the selected one."""
    choice, counts, _ = _selected(primitive, x)
    padded, _ = _padded(primitive, tangents, np.zeros((), x.dtype))
    result = np.zeros(counts, x.dtype)
    if result.size:
        for number, visit in enumerate(_visits(primitive, counts)):
            result = np.where(choice == number, padded[visit], result)
    return [result]


@eval_rule(SelectAndScatterAdd)
def select_and_scatter_add_eval(
    primitive: SelectAndScatterAdd, source: Elements, x: Elements
) -> list[Elements]:
    """One pass per position in the window: the source added there, where it is the selected one."""
    choice, counts, real = _selected(primitive, x)
    total = np.zeros(real.shape, accumulator(x.dtype))
    if choice.size:
        for number, visit in enumerate(_visits(primitive, counts)):
            total[visit] += np.where(choice == number, source, np.zeros((), x.dtype)).astype(
                total.dtype, copy=False
            )
    result = np.zeros(x.shape, x.dtype)
    source_place, padded_place = kept(
        x.shape, tuple(range(x.ndim)), primitive.padding, primitive.base_dilation
    )
    result[source_place] = total[padded_place]
    return [result]

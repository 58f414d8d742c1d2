"""Reductions of windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from treadle_ir import (
    ArgumentError,
    Array,
    ShapeError,
    UnsupportedError,
    functions,
    integers,
    integers_or_none,
    names,
    pairs,
    shown,
)
from treadle_numpy.lax.monoids import Computation, monoid_of
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import as_shape

__all__ = ["padtype_to_pads", "reduce_window"]

Padding: TypeAlias = str | Sequence[tuple[int, int]]
"""What padding is put around: a word ('SAME', 'SAME_LOWER', 'VALID'), or how much on both sides of each axis."""


def padtype_to_pads(
    in_shape: Sequence[int],
    window_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: Padding,
) -> list[tuple[int, int]]:
    """The padding that 'SAME', 'SAME_LOWER' or 'VALID' means.

    Raises:
        ArgumentError: another word than these.
    """
    in_shape = as_shape("padtype_to_pads", in_shape)
    window_shape = integers("padtype_to_pads", "window_shape", window_shape)
    window_strides = integers("padtype_to_pads", "window_strides", window_strides)
    names("padtype_to_pads", padding=padding)
    kind = str(padding).upper()
    if kind == "VALID":
        return [(0, 0)] * len(in_shape)
    if kind not in ("SAME", "SAME_LOWER"):
        raise ArgumentError(
            f"Unrecognized padding type: expected 'VALID', 'SAME' or 'SAME_LOWER', got {shown(padding)}"
        )
    if (
        not len(in_shape) == len(window_shape) == len(window_strides)
        or min(window_strides, default=1) < 1
    ):
        raise ArgumentError(
            f"padtype_to_pads: a window {window_shape} with strides {window_strides} for the axes of {in_shape}",
            fix="give a window size and a positive stride for each axis",
        )
    pads = []
    for size, window, stride in zip(in_shape, window_shape, window_strides, strict=True):
        count = -(-size // stride)
        total = max((count - 1) * stride + window - size, 0)
        small, large = total // 2, total - total // 2
        pads.append((small, large) if kind == "SAME" else (large, small))
    return pads


def as_padding(function: str, padding: object) -> tuple[tuple[int, int], ...]:
    """How much is put on both sides of each axis, as primitives take it.

    Raises:
        ArgumentError: it is no sequence of pairs of integers.
    """
    return tuple([(low, high) for low, high in pairs(function, "padding", padding)])


def reduce_window(
    operand: ArrayLike,
    init_value: ArrayLike,
    computation: Computation,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: Padding = "VALID",
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> Array:
    """The elements of each window combined, by lax.add, max or min.

    Raises:
        UnsupportedError: another function than these.
    """
    functions("reduce_window", computation=computation)
    base_dilation = integers_or_none("reduce_window", "base_dilation", base_dilation)
    window_strides = integers_or_none("reduce_window", "window_strides", window_strides)
    window_dimensions = integers("reduce_window", "window_dimensions", window_dimensions)
    window_dilation = integers_or_none("reduce_window", "window_dilation", window_dilation)
    x = coerce_array("reduce_window", 0, operand)
    monoid = monoid_of(computation, x.dtype)
    if monoid is None or monoid.reduce_window is None:
        raise UnsupportedError("reduce_window: only lax.add, lax.max and lax.min are supported")
    ones = (1,) * x.ndim
    window, strides = window_dimensions, window_strides or ones
    base, holes = base_dilation or ones, window_dilation or ones
    if not x.ndim == len(window) == len(strides) == len(base) == len(holes):
        raise ShapeError(
            f"reduce_window: the window {window}, strides {strides}, base_dilation {base} and window_dilation {holes} "
            f"must have one number for each of the {x.ndim} axes of {x.shape}"
        )
    if isinstance(padding, str):
        sizes = [(n - 1) * b + 1 if n else 0 for n, b in zip(x.shape, base, strict=True)]
        extents = [(w - 1) * h + 1 for w, h in zip(window, holes, strict=True)]
        padding = padtype_to_pads(sizes, extents, strides, padding)
    result = monoid.reduce_window(
        x,
        window_dimensions=window,
        window_strides=strides,
        padding=as_padding("reduce_window", padding),
        base_dilation=base,
        window_dilation=holes,
    )
    start = converted(coerce("reduce_window", 1, init_value), x.dtype)
    return monoid.combine(result, start)

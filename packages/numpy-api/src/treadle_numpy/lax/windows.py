"""Reductions of windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from treadle_ir import ArgumentError, Array, UnsupportedError, sequence, sequence_or_none
from treadle_numpy.lax.monoids import Computation, monoid_of
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import converted

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
    kind = padding.upper() if isinstance(padding, str) else padding
    if kind == "VALID":
        return [(0, 0)] * len(in_shape)
    if kind not in ("SAME", "SAME_LOWER"):
        raise ArgumentError(
            f"Unrecognized padding type: expected 'VALID', 'SAME' or 'SAME_LOWER', got {padding!r}"
        )
    pads = []
    for size, window, stride in zip(in_shape, window_shape, window_strides, strict=True):
        count = -(-size // stride)
        total = max((count - 1) * stride + window - size, 0)
        small, large = total // 2, total - total // 2
        pads.append((small, large) if kind == "SAME" else (large, small))
    return pads


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
    base_dilation = sequence_or_none("reduce_window", "base_dilation", base_dilation)
    window_strides = sequence_or_none("reduce_window", "window_strides", window_strides)
    window_dimensions = sequence("reduce_window", "window_dimensions", window_dimensions)
    window_dilation = sequence_or_none("reduce_window", "window_dilation", window_dilation)
    x = coerce_array("reduce_window", 0, operand)
    monoid = monoid_of(computation, x.dtype)
    if monoid is None or monoid.reduce_window is None:
        raise UnsupportedError("reduce_window: only lax.add, lax.max and lax.min are supported")
    ones = (1,) * x.ndim
    window, strides = tuple(window_dimensions), tuple(window_strides or ones)
    base, holes = tuple(base_dilation or ones), tuple(window_dilation or ones)
    if isinstance(padding, str):
        sizes = [(n - 1) * b + 1 if n else 0 for n, b in zip(x.shape, base, strict=True)]
        extents = [(w - 1) * h + 1 for w, h in zip(window, holes, strict=True)]
        padding = padtype_to_pads(sizes, extents, strides, padding)
    result = monoid.reduce_window(
        x,
        window_dimensions=window,
        window_strides=strides,
        padding=tuple([(int(a), int(b)) for a, b in padding]),
        base_dilation=base,
        window_dilation=holes,
    )
    start = converted(coerce("reduce_window", 1, init_value), x.dtype)
    return monoid.combine(result, start)

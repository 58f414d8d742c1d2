"""Elements put around an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, UnsupportedError, composed, default_dtype, names, ops
from treadle_ir.dtypes import is_inexact
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.repetition import repeat
from treadle_numpy.numpy.reductions.extremes import max as greatest, min as least
from treadle_numpy.numpy.reductions.sums import sum as total_of
from treadle_numpy.numpy.taking import take
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import (
    ArrayLike,
    coerce,
    coerce_array,
    host_elements,
    operand_type,
)
from treadle_numpy.operands.promote import converted, weak_again
from treadle_numpy.operands.shapes import as_index, ndim_of

__all__ = ["pad"]

Widths: TypeAlias = (
    int
    | Sequence[int]
    | Sequence[Sequence[int]]
    | Mapping[int, int | tuple[int, int]]
    | Array
    | Elements
)


@composed
def pad(
    array: ArrayLike,
    pad_width: Widths,
    mode: str | Callable[..., object] = "constant",
    **kwargs: Any,  # what goes with the mode
) -> Array:
    """The array with elements put around it.

    Modes: 'constant' (`constant_values`), 'edge', 'reflect', 'symmetric', 'wrap', 'empty', and the statistics
    'maximum', 'minimum', 'mean' of whole axes.

    Raises:
        ArgumentError: a width is negative.
        UnsupportedError: a mode that is not there.

    Example:
        >>> print(pad(np.arange(2), 1))
        [0 0 1 0]
    """
    x = coerce_array("pad", 0, array)
    if not x.ndim:
        return x
    if operand_type(x).weak:
        return weak_again(pad(converted(x, x.dtype), pad_width, mode, **kwargs))
    widths = [
        (as_index("pad", "pad_width", low), as_index("pad", "pad_width", high))
        for low, high in _pad_pairs("pad_width", pad_width, x.ndim)
    ]
    if any(n < 0 for pair in widths for n in pair):
        raise ArgumentError("pad: index can't contain negative values")
    if not callable(mode):
        names("pad", mode=mode)
    if mode in ("constant", "empty"):
        values = kwargs.pop("constant_values", 0)
        _no_more("pad", kwargs)
        if ndim_of(values) == 0:
            value = converted(coerce("pad", 3, values), x.dtype)
            return ops.pad(
                x, value, low=[low for low, _ in widths], high=[high for _, high in widths]
            )
        pairs = _pad_pairs("constant_values", values, x.ndim)
        for axis, ((low, high), (before, after)) in enumerate(zip(widths, pairs, strict=True)):
            for n, value, first in ((low, before, True), (high, after, False)):
                sizes = [0] * x.ndim
                sizes[axis] = n
                none = [0] * x.ndim
                scalar = converted(coerce("pad", 3, value), x.dtype)
                x = ops.pad(x, scalar, low=sizes if first else none, high=none if first else sizes)
        return x
    if not callable(mode):
        names("pad", mode=mode)
    if callable(mode):
        raise UnsupportedError(
            "pad: functions as mode are not supported", fix="pad with constants, then write into it"
        )
    reflect = kwargs.pop("reflect_type", "even")
    if kwargs.get("stat_length") is None:
        kwargs.pop("stat_length", None)
    _no_more("pad", kwargs)
    if mode in ("maximum", "minimum", "mean"):
        for axis, (low, high) in enumerate(widths):
            x = _pad_statistic(x, axis, low, high, mode)
        return x
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise UnsupportedError(
            f"pad: mode {mode!r} is not supported", fix="see the modes in its documentation"
        )
    if reflect != "even":
        raise UnsupportedError("pad: reflect_type='odd' is not supported")
    for axis, (low, high) in enumerate(widths):
        if low or high:
            positions = np.pad(np.arange(x.shape[axis]), (low, high), mode=mode)  # type: ignore[call-overload]  # one of these four
            x = take(x, positions.astype(np.int32), axis, mode="clip")
    return x


def _pad_statistic(x: Array, axis: int, low: int, high: int, mode: str) -> Array:
    if mode == "mean":
        total = ops.divide(
            total_of(x, axis, default_dtype(float), keepdims=True),
            default_dtype(float).type(x.shape[axis]),
        )
        value = converted(total if is_inexact(x.dtype) else ops.round_nearest_even(total), x.dtype)
    else:
        value = (greatest if mode == "maximum" else least)(x, axis, keepdims=True)
    parts = [repeat(value, low, axis), x, repeat(value, high, axis)]
    return concatenate(parts, axis)


def _no_more(function: str, kwargs: Mapping[str, object]) -> None:
    if kwargs:
        raise ArgumentError(
            f"{function}: unsupported keyword arguments {sorted(kwargs)} for this mode"
        )


def _pad_pairs(name: str, value: Any, count: int) -> list[tuple[Any, Any]]:  # of numbers
    """A (before, after) pair for each axis, from a number, a pair, or a pair for each axis."""
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = [(0, 0)] * count
        for axis, pair in value.items():
            pairs[as_axis("pad", axis, count)] = (
                (pair[0], pair[-1]) if isinstance(pair, (tuple, list)) else (pair, pair)
            )
        return pairs
    if isinstance(value, (np.ndarray, Array)):
        elements = host_elements(value)
        value = value if elements is None else elements.tolist()
    if not isinstance(value, (tuple, list)):
        return [(value, value)] * count
    items = list(value)
    nested = [list(i) if isinstance(i, (tuple, list, np.ndarray)) else i for i in items]
    if not any(isinstance(i, list) for i in nested):
        if len(nested) == 1:
            return [(nested[0], nested[0])] * count
        if len(nested) == 2:
            return [(nested[0], nested[1])] * count
    elif all(isinstance(i, list) for i in nested):
        each = [(i[0], i[-1]) for i in nested if len(i) in (1, 2)]
        if len(each) == len(nested) and len(each) in (1, count):
            return each * count if len(each) == 1 else each
    raise ArgumentError(
        f"pad: {name} must be a number, a pair, or a pair for each of {count} axes, got {value!r}"
    )

"""Elements put around an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import names, refused
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.application import apply_along_axis
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.rearranging import flip
from treadle_numpy.numpy.manipulation.repetition import repeat
from treadle_numpy.numpy.reductions.extremes import max as greatest, min as least
from treadle_numpy.numpy.statistics.means import mean
from treadle_numpy.numpy.statistics.quantiles import median
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.rounding import floor
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import (
    ArrayLike,
    coerce,
    coerce_array,
    host_elements,
    operand_type,
)
from treadle_numpy.operands.promote import as_weak, converted
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
Pairs: TypeAlias = Sequence[tuple[int, int]]
_STATISTICS: Final[dict[str, Callable[..., Array]]] = {
    "maximum": greatest,
    "minimum": least,
    "mean": mean,
    "median": median,
}
_TAKEN: Final[dict[str, str | None]] = {
    "constant": "constant_values",
    "edge": None,
    "empty": None,
    "linear_ramp": "end_values",
    **dict.fromkeys(_STATISTICS, "stat_length"),
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    "wrap": None,
}
"""The modes, and the argument that goes with each."""


@composed
def pad(
    array: ArrayLike,
    pad_width: Widths,
    mode: str | Callable[..., ArrayLike | None] = "constant",
    **kwargs: Any,  # what goes with the mode
) -> Array:
    """Pad an array.

    Modes, with their options:

    - 'constant' (`constant_values`, 0), 'empty' (zeros), 'edge', 'wrap';
    - 'linear_ramp' from the edge to `end_values` (0);
    - 'maximum', 'minimum', 'mean', 'median' of whole axes, or of the `stat_length` elements next to the edge;
    - 'reflect' and 'symmetric': 'even', or with `reflect_type` 'odd', which turns about the edge, too;
    - a function `f(vector, (before, after), axis, kwargs)`, called with vectors that have zeros around them, which
      returns what shall be there.

    Args:
        array: an array.
        pad_width: the number of elements to add before and after: an integer, a pair for all axes, a pair for each
            axis, or a dict of them by axis.
        mode: the mode, or a function.
        kwargs: the options of the mode.

    Raises:
        ArgumentError: a width is negative, or the mode takes no such argument.
        ShapeError: an axis without elements is to be extended by what is made of them.
        UnsupportedError: there is no such mode.

    Example:
        >>> print(pad(np.arange(2), 1))
        [0 0 1 0]
    """
    x = coerce_array("pad", 0, array)
    if not callable(mode):
        names("pad", mode=mode)
        if mode not in _TAKEN:
            raise UnsupportedError(
                f"pad: there is no mode {mode!r}",
                fix=f"choose one of {', '.join(_TAKEN)}, or give a function",
            )
        if set(kwargs) - {_TAKEN[mode]}:
            raise ArgumentError(
                f"pad: unsupported keyword arguments {sorted(kwargs)} for mode {mode!r}"
            )
    if not x.ndim:
        return x
    if operand_type(x).weak:
        return as_weak(pad(converted(x, x.dtype), pad_width, mode, **kwargs))
    widths = [
        (as_index("pad", "pad_width", low), as_index("pad", "pad_width", high))
        for low, high in _pad_pairs("pad_width", pad_width, x.ndim)
    ]
    if any(n < 0 for pair in widths for n in pair):
        raise ArgumentError("pad: index can't contain negative values")
    if callable(mode):
        return _by_function(x, widths, mode, kwargs)
    given = kwargs.get(_TAKEN[mode] or "")
    if mode in ("constant", "empty"):
        return _with_constants(x, widths, 0 if given is None else given)
    for axis, pair in enumerate(widths):
        if any(pair) and not x.shape[axis]:
            raise ShapeError(
                f"pad: axis {axis} of shape {x.shape} is empty, so mode {mode!r} has nothing to put around it",
                fix="use mode 'constant'",
            )
    if mode == "linear_ramp":
        return _with_ramps(x, widths, 0 if given is None else given)
    if mode in _STATISTICS:
        return _with_statistics(x, widths, mode, given)
    if given not in (None, "even", "odd"):
        raise refused("pad", "reflect_type", "'even' or 'odd'", given)
    for axis, (low, high) in enumerate(widths):
        if not low and not high:
            continue
        if given == "odd":
            x = _turned(x, axis, low, high, mode == "symmetric")
        else:
            positions = np.pad(np.arange(x.shape[axis]), (low, high), mode=mode)  # type: ignore[call-overload]  # one of those left
            x = take(x, positions.astype(np.int32), axis, mode="clip")
    return x


def _by_function(
    x: Array, widths: Pairs, function: Callable[..., Any], kwargs: dict[str, Any]
) -> Array:
    x = _with_constants(x, widths, 0)
    for axis, pair in enumerate(widths):
        x = apply_along_axis(function, axis, x, pair, axis, kwargs)
    return x


def _with_constants(x: Array, widths: Pairs, values: Any) -> Array:  # a number, or numbers
    if ndim_of(values) == 0:
        value = converted(coerce("pad", 3, values), x.dtype)
        return ops.pad(x, value, low=[low for low, _ in widths], high=[high for _, high in widths])
    pairs = _pad_pairs("constant_values", values, x.ndim)
    for axis, ((low, high), (before, after)) in enumerate(zip(widths, pairs, strict=True)):
        for n, value, first in ((low, before, True), (high, after, False)):
            sizes = [0] * x.ndim
            sizes[axis] = n
            none = [0] * x.ndim
            scalar = converted(coerce("pad", 3, value), x.dtype)
            x = ops.pad(x, scalar, low=sizes if first else none, high=none if first else sizes)
    return x


def _with_ramps(x: Array, widths: Pairs, values: Any) -> Array:  # a number, or numbers
    pairs = _pad_pairs("end_values", values, x.ndim)
    wide = default_dtype(float)
    for axis, ((low, high), (before, after)) in enumerate(zip(widths, pairs, strict=True)):
        if not low and not high:
            continue
        edges = _edge(x, axis, 0, 1), _edge(x, axis, x.shape[axis] - 1, 1)
        parts = []
        for n, edge, end in ((low, edges[0], before), (high, edges[1], after)):
            inner = edge if is_inexact(x.dtype) else converted(edge, wide)
            outer = converted(coerce("pad", 3, end), inner.dtype)
            # from the end to the edge, without it
            shape = [n if i == axis else 1 for i in range(x.ndim)]
            steps = ops.reshape(ops.iota(shape=(n,), dtype=inner.dtype, dimension=0), shape=shape)
            # divided last, so that a whole number of an integer's ramp is one
            ramp = add(outer, divide(multiply(steps, subtract(inner, outer)), max(n, 1)))
            if not is_inexact(x.dtype):
                ramp = converted(floor(ramp), x.dtype)
            parts.append(ramp)
        x = concatenate([parts[0], x, flip(parts[1], axis)], axis)
    return x


def _with_statistics(x: Array, widths: Pairs, mode: str, lengths: Any) -> Array:  # numbers, or None
    pairs = _pad_pairs("stat_length", lengths, x.ndim)
    for axis, ((low, high), given) in enumerate(zip(widths, pairs, strict=True)):
        size = x.shape[axis]
        counts = []
        for count in given:
            length = size if count is None else as_index("pad", "stat_length", count)
            if count is not None and length < 1:
                raise refused("pad", "stat_length", "1 or more", count)
            counts.append(min(length, size))
        if not low and not high:
            continue
        first = _statistic(_edge(x, axis, 0, counts[0]), axis, mode)
        last = _statistic(_edge(x, axis, size - counts[1], counts[1]), axis, mode)
        x = concatenate([repeat(first, low, axis), x, repeat(last, high, axis)], axis)
    return x


def _statistic(x: Array, axis: int, mode: str) -> Array:
    value = _STATISTICS[mode](x, axis=axis, keepdims=True)
    if is_inexact(x.dtype) or value.dtype == x.dtype:
        return converted(value, x.dtype)
    return converted(ops.round_nearest_even(value), x.dtype)


def _edge(x: Array, axis: int, start: int, count: int) -> Array:
    return slice_along(x, axis, start, start + count)


def _turned(x: Array, axis: int, low: int, high: int, edges_again: bool) -> Array:
    """Reflection at the edges that turns about them: f(-k) = 2 f(0) - f(k), and so on at either side."""
    size = x.shape[axis]
    period = 2 * size if edges_again else 2 * (size - 1)
    places = np.arange(-low, size + high)
    turns, within = np.divmod(places, period) if period else (places, np.zeros_like(places))
    second = within >= size
    mirrored = period - edges_again - within
    found = take(x, np.where(second, mirrored, within).astype(np.int32), axis, mode="clip")
    first, last = _edge(x, axis, 0, 1), _edge(x, axis, size - 1, 1)
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    sign, of_last, of_span = (
        each.astype(x.dtype).reshape(shape) for each in (1 - 2 * second, 2 * second, 2 * turns)
    )
    value = add(multiply(found, sign), multiply(last, of_last))
    return add(value, multiply(subtract(last, first), of_span))


def _pad_pairs(name: str, value: Any, count: int) -> list[tuple[Any, Any]]:  # of numbers
    """Return a (before, after) pair for each axis, from a number, a pair, or a pair for each axis."""
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

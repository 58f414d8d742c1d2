"""Functions of samples along an axis: mode, ranks, standard error."""

from __future__ import annotations

from typing import Final, NamedTuple

from treadle_ir import ArgumentError, Array, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import flags, integer, names
from treadle_numpy.numpy.creation.ranges import arange
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.reductions.extremes import max
from treadle_numpy.numpy.reductions.logical import any
from treadle_numpy.numpy.reductions.positions import argmax
from treadle_numpy.numpy.reductions.running import cumsum
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.sorting import argsort, sort
from treadle_numpy.numpy.statistics.spread import nanstd, std
from treadle_numpy.numpy.taking import take_along_axis
from treadle_numpy.numpy.ufuncs.kinds import isnan
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.promote import inexact_operand

__all__ = ["ModeResult", "mode", "rankdata", "sem"]

_POLICIES: Final = ("propagate", "omit", "raise")
_METHODS: Final = ("average", "min", "max", "dense", "ordinal")


class ModeResult(NamedTuple):
    """The most frequent values, and how often they occur.

    Example:
        >>> import numpy as np
        >>> print(mode(np.array([1, 2, 2], np.int32)).count)
        2
    """

    mode: Array
    count: Array  # type: ignore[assignment]  # SciPy's name hides the method of tuples


def _check_policy(function: str, policy: object, supported: tuple[str, ...]) -> None:
    names(function, nan_policy=policy)
    if policy not in _POLICIES:
        listed = ", ".join(map(repr, _POLICIES))
        raise ArgumentError(f"{function}: nan_policy is {policy!r}, but must be one of {listed}")
    if policy not in supported:
        raise UnsupportedError(
            f"{function}: nan_policy={policy!r} is not supported",
            fix="treat the NaNs before: whether there are any is not known under jit",
        )


def _along_last(function: str, a: ArrayLike, axis: int | None) -> tuple[Array, int]:
    """Return the array with the axis last, and where the axis was; None flattens."""
    x = array_of(coerce(function, 0, a))
    if axis is None or not x.ndim:
        return x.reshape(-1), 0
    position = as_axis(function, axis, x.ndim)
    order = [i for i in range(x.ndim) if i != position]
    return x.transpose(*order, position), position


def _same(x: Array, y: Array) -> Array:
    """Return whether elements are equal; NaN equals NaN."""
    equal = x == y
    return equal | (isnan(x) & isnan(y)) if is_inexact(x.dtype) else equal


def _begins(ordered: Array) -> Array:
    """Return whether an element of an ordered array differs from the one before it."""
    changes = ~_same(ordered[..., 1:], ordered[..., :-1])
    return concatenate([_same(ordered[..., :1], ordered[..., :1]), changes], axis=-1)


def _first_of_run(begins: Array) -> Array:
    """Return the position at which each element's run of equal ones begins."""
    positions = where(begins, arange(begins.shape[-1]), 0)
    return ops.cumulative_maximum(positions, axis=begins.ndim - 1)


def _last_of_run(begins: Array) -> Array:
    """Return the position at which each element's run of equal ones ends."""
    count = begins.shape[-1]
    ends = concatenate([begins[..., 1:], begins[..., :1] | True], axis=-1)
    positions = where(ends, arange(count), count)
    return ops.cumulative_minimum(positions, axis=begins.ndim - 1, reverse=True)


@composed
def mode(
    a: ArrayLike, axis: int | None = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> ModeResult:
    """Return the most frequent value along an axis (of all elements for None), the least of several, and its count.

    NaN is a value like others. Of no elements it is NaN, and the count 0.

    Raises:
        UnsupportedError: `nan_policy` is "omit" or "raise".
        ArgumentError: `nan_policy` is something else.

    Example:
        >>> import numpy as np
        >>> print(*mode(np.array([1, 2, 2, 3, 3])))
        2 2
    """
    _check_policy("mode", nan_policy, ("propagate",))
    flags("mode", keepdims=keepdims)
    x, position = _along_last("mode", a, axis)
    if not x.shape[-1]:
        value = sum(array_of(inexact_operand("mode", x)), axis=-1)
        count = value
        value = value + float("nan")
    else:
        ordered = sort(x, axis=-1)
        lengths = arange(x.shape[-1]) - _first_of_run(_begins(ordered)) + 1
        count = max(lengths, axis=-1)
        best = argmax(lengths, axis=-1, keepdims=True)
        value = take_along_axis(ordered, best, axis=-1)[..., 0]
    if keepdims:
        rank = array_of(coerce("mode", 0, a)).ndim
        shape = (1,) * rank if axis is None else (*x.shape[:position], 1, *x.shape[position:-1])
        value, count = value.reshape(shape[:rank]), count.reshape(shape[:rank])
    return ModeResult(value, count)


@composed
def rankdata(
    a: ArrayLike, method: str = "average", *, axis: int | None = None, nan_policy: str = "propagate"
) -> Array:
    """Return the rank of each element, from 1, along an axis (of all elements, flattened, for None); floats.

    Equal elements have the mean, the least or the greatest of their ranks, by `method` "average", "min" or "max";
    "dense" counts values instead of elements; "ordinal" keeps their order. With a NaN among the elements, all
    ranks are NaN.

    Raises:
        ArgumentError: `method` or `nan_policy` is none of the names.
        UnsupportedError: `nan_policy` is "omit" or "raise".

    Example:
        >>> import numpy as np
        >>> print(rankdata(np.array([3, 1, 1, 2])))
        [4.  1.5 1.5 3. ]
    """
    _check_policy("rankdata", nan_policy, ("propagate",))
    names("rankdata", method=method)
    if method not in _METHODS:
        listed = ", ".join(map(repr, _METHODS))
        raise ArgumentError(f"rankdata: method is {method!r}, but must be one of {listed}")
    x, position = _along_last("rankdata", a, axis)
    count = x.shape[-1]
    if not x.size:
        empty = array_of(inexact_operand("rankdata", x))
        return empty if axis is None else empty.reshape(array_of(coerce("rankdata", 0, a)).shape)
    order = argsort(x, axis=-1)
    begins = _begins(take_along_axis(x, order, axis=-1))
    if method == "ordinal":
        ranks = arange(1, count + 1) + 0 * order
    elif method == "dense":
        ranks = cumsum(begins, axis=-1)
    else:
        first, last = _first_of_run(begins) + 1, _last_of_run(begins) + 1
        ranks = {"min": first, "max": last}.get(method, (first + last) / 2)
    inverse = argsort(order, axis=-1)
    ranks = array_of(inexact_operand("rankdata", take_along_axis(ranks, inverse, axis=-1)))
    if is_inexact(x.dtype):
        ranks = where(any(isnan(x), axis=-1, keepdims=True), float("nan"), ranks)
    if axis is None:
        return ranks
    axes = [*range(position), ranks.ndim - 1, *range(position, ranks.ndim - 1)]
    return ranks.transpose(*axes) if ranks.ndim else ranks


@composed
def sem(
    a: ArrayLike,
    axis: int | None = 0,
    ddof: int = 1,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Array:
    """Return the standard error of the mean along an axis: the standard deviation over the root of the count.

    `ddof` is taken from the count in the standard deviation. With `nan_policy` "omit" NaNs are left out.

    Raises:
        ArgumentError: `nan_policy` is none of the names.
        UnsupportedError: `nan_policy` is "raise".

    Example:
        >>> import numpy as np
        >>> print(f"{float(sem(np.array([1.0, 2.0, 4.0]))):.4f}")
        0.8819
    """
    _check_policy("sem", nan_policy, ("propagate", "omit"))
    flags("sem", keepdims=keepdims)
    ddof = integer("sem", "ddof", ddof)
    x = array_of(inexact_operand("sem", a))
    if nan_policy == "omit":
        count = sum(~isnan(x), axis=axis, keepdims=keepdims)
        error: Array = nanstd(x, axis, ddof=ddof, keepdims=keepdims) / count**0.5
        return error
    number = x.size if axis is None else x.shape[as_axis("sem", axis, x.ndim)]
    result: Array = std(x, axis, ddof=ddof, keepdims=keepdims) / number**0.5
    return result

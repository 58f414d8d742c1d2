"""Softmax and its relatives, standardisation."""

from __future__ import annotations

import math

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex, user_name
from treadle_ir.errors import flags, names, shown
from treadle_numpy.numpy.reductions.extremes import peak
from treadle_numpy.numpy.reductions.making import with_axes_of
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where as where_
from treadle_numpy.numpy.statistics.means import mean as mean_of
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.numpy.ufuncs.powers import square
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.scalars import literal, zero_like
from treadle_numpy.scipy.special.exponents import logsumexp, softmax as softmax_of_all

__all__ = ["log_softmax", "logmeanexp", "logsumexp", "softmax", "standardize"]


def _exponentials(
    name: str, x: ArrayLike, axis: Axis, where: ArrayLike | None
) -> tuple[Array, Array, tuple[int, ...]]:
    """Return the operand less its greatest element, its exponential, and the axes; masked places have exponential 0."""
    operand = array_of(inexact_operand(name, x))
    if where is not None:
        operand = with_axes_of(name, operand, where)
    axes = sorted_axes(name, axis, operand.ndim)
    top = peak(name, operand, axes, where)
    top = ops.stop_gradient(
        ops.select(ops.is_finite(top), top, zero_like(top)) if where is not None else top
    )
    safe = operand if where is None else array_of(where_(where, operand, top))
    shifted = subtract(safe, top)
    powers = exp(shifted)
    if where is not None:
        powers = array_of(where_(where, powers, zero_like(powers)))
    return shifted, powers, axes


@composed
def softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Array:
    """Compute softmax: exponentials divided by their sum along axes.

    Args:
        x: an array.
        axis: an axis or several.
        where: a boolean array that broadcasts to `x`; elements where it is false are left out, and give 0.

    Returns:
        An array of the shape of `x`, of a floating dtype.

    Example:
        >>> print(softmax(np.array([1000.0, 1000.0], np.float32)))
        [0.5 0.5]
    """
    if where is None:
        return softmax_of_all(x, axis=axis)
    _, powers, axes = _exponentials("softmax", x, axis, where)
    result = divide(powers, sum(powers, axes, keepdims=True))
    return array_of(where_(where, result, zero_like(result)))


@composed
def log_softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Array:
    """Compute the logarithm of softmax.

    Args:
        x: an array.
        axis: an axis or several.
        where: a boolean array that broadcasts to `x`; elements where it is false are left out, and give -inf.

    Returns:
        An array of the shape of `x`, of a floating dtype.

    Example:
        >>> print(log_softmax(np.array([1000.0, 0.0], np.float32)))
        [    0. -1000.]
    """
    shifted, powers, axes = _exponentials("log_softmax", x, axis, where)
    result = subtract(shifted, log(sum(powers, axes, keepdims=True)))
    return result if where is None else array_of(where_(where, result, literal(-np.inf, result)))


@composed
def logmeanexp(
    x: ArrayLike, axis: Axis = None, where: ArrayLike | None = None, keepdims: bool = False
) -> Array:
    """Compute `log(mean(exp(x)))`, without overflow.

    Over all elements if `axis` is None, and over those where `where` is true.

    Example:
        >>> print(logmeanexp(np.array([1000.0, 1000.0], np.float32)))
        1000.0
    """
    flags("logmeanexp", keepdims=keepdims)
    total = logsumexp(x, axis, keepdims=keepdims, where=where)
    shape = coerce_array("logmeanexp", 0, x).shape
    if where is None:
        count = 1
        for i in sorted_axes("logmeanexp", axis, len(shape)):
            count *= shape[i]
        return subtract(total, math.log(count) if count else -np.inf)
    mask = coerce_array("logmeanexp", 2, where)
    mask = broadcast_to_shape(mask, common_shape("logmeanexp", [shape, mask.shape]))
    return subtract(total, log(sum(mask, axis, total.dtype, keepdims=keepdims)))


@composed
def standardize(
    x: ArrayLike,
    axis: Axis = -1,
    mean: ArrayLike | None = None,
    variance: ArrayLike | None = None,
    epsilon: ArrayLike = 1e-5,
    where: ArrayLike | None = None,
    *,
    algorithm: str = "fast",
) -> Array:
    """Shift and scale an array to mean 0 and variance 1 along axes: `(x - mean) / sqrt(variance + epsilon)`.

    Args:
        x: an array.
        axis: an axis or several.
        mean: the mean, if it is known.
        variance: the variance, if it is known.
        epsilon: a number that is added to the variance.
        where: a boolean array that broadcasts to `x`; only elements where it is true count for mean and variance.
        algorithm: how to compute the variance. "fast": the mean of squares less the square of the mean, in one pass
            over the elements; "stable": the mean of the squared distances from the mean, which loses less where the
            mean is large.

    Raises:
        ArgumentError: `algorithm` is neither "fast" nor "stable".
        DTypeError: the elements are complex, and `variance` is not given.

    Example:
        >>> print(standardize(np.array([1.0, 3.0], np.float32), epsilon=0.0))
        [-1.  1.]
    """
    names("standardize", algorithm=algorithm)
    if algorithm not in ("fast", "stable"):
        raise ArgumentError(
            f"standardize: Unknown algorithm {shown(algorithm)}. Expected 'fast' or 'stable'."
        )
    operand = inexact_operand("standardize", x)
    if variance is None and is_complex(operand.dtype):
        raise DTypeError(
            f"standardize: the variance of elements of type {user_name(operand.dtype)} is not computed",
            fix="pass `variance`, or standardize real and imaginary parts",
        )
    if mean is None:
        mean = mean_of(operand, axis, keepdims=True, where=where)
    if variance is None:
        if algorithm == "stable":
            variance = mean_of(square(subtract(operand, mean)), axis, keepdims=True, where=where)
        else:
            squares = mean_of(square(operand), axis, keepdims=True, where=where)
            variance = maximum(subtract(squares, square(mean)), 0.0)
    root = ops.rsqrt(add(coerce("standardize", 3, variance), epsilon))
    return multiply(subtract(operand, mean), root)

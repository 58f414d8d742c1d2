"""Exponentials, logarithms and entropies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final, Literal, overload

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.reductions.extremes import peak
from treadle_numpy.numpy.reductions.making import with_axes_of
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where as where_
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.real import real_operand, real_operands
from treadle_numpy.operands.scalars import literal, number, zero_like

__all__ = [
    "boxcox",
    "boxcox1p",
    "entr",
    "expit",
    "kl_div",
    "log_softmax",
    "logit",
    "logsumexp",
    "rel_entr",
    "softmax",
    "xlog1py",
    "xlogy",
]


@composed
def expit(x: ArrayLike) -> Array:
    """Compute `1 / (1 + exp(-x))`, without overflow; also of complex numbers.

    Example:
        >>> print(expit(np.array([-500.0, 0.0, 500.0], np.float32)))
        [0.  0.5 1. ]
    """
    return ops.logistic(inexact_operand("expit", x))


@composed
def logit(x: ArrayLike) -> Array:
    """Compute `log(x / (1 - x))`, the inverse of `expit`: infinite at 0 and 1, NaN for real numbers beyond them.

    Example:
        >>> print(logit(np.array([0.0, 0.5, 1.0], np.float32)))
        [-inf   0.  inf]
    """
    p = inexact_operand("logit", x)
    if is_complex(p.dtype):  # the quotient's logarithm has other branches
        return ops.subtract(ops.log(p), ops.log_plus_one(ops.negate(p)))
    result: Array = _logit(p)
    return result


@partial(custom_jvp, pure=True)
def _logit(p: Operand) -> Array:
    # One logarithm, whose error near 1/2 is the same as of the difference of two.
    return ops.log(ops.divide(p, ops.subtract(number(1, p), p)))


@_logit.defjvp
def _logit_jvp(primals: Sequence[Operand], tangents: Sequence[Operand]) -> tuple[Operand, Operand]:
    (p,), (dp,) = primals, tangents
    rest = ops.subtract(number(1, p), p)
    return _logit(p), ops.divide(dp, ops.multiply(p, rest))


@partial(custom_jvp, pure=True)
def _xlogy(x: Operand, y: Operand) -> Array:
    zero = ops.compare(x, zero_like(x), direction="eq")
    return ops.select(zero, zero_like(x), ops.multiply(x, ops.log(y)))


@_xlogy.defjvp
def _xlogy_jvp(primals: Sequence[Operand], tangents: Sequence[Operand]) -> tuple[Operand, Operand]:
    (x, y), (dx, dy) = primals, tangents
    return _xlogy(x, y), add(multiply(dx, ops.log(y)), multiply(dy, _ratio(x, y)))


def _ratio(x: Operand, y: Operand) -> Array:
    """Compute `x / y`, 0 where both are 0: nothing is the slope of what is not there."""
    none = ops.and_(
        ops.compare(x, zero_like(x), direction="eq"), ops.compare(y, zero_like(y), direction="eq")
    )
    return ops.divide(x, ops.select(none, number(1, y), y))


@composed
def xlogy(x: ArrayLike, y: ArrayLike) -> Array:
    """Compute `x * log(y)`, 0 where x is 0.

    Example:
        >>> print(xlogy(0.0, 0.0))
        0.0
    """
    a, b = promote_shapes("xlogy", x, y, inexact=True)
    result: Array = _xlogy(a, b)
    return result


@partial(custom_jvp, pure=True)
def _xlog1py(x: Operand, y: Operand) -> Array:
    zero = ops.compare(x, zero_like(x), direction="eq")
    return ops.select(zero, zero_like(x), ops.multiply(x, ops.log_plus_one(y)))


@_xlog1py.defjvp
def _xlog1py_jvp(
    primals: Sequence[Operand], tangents: Sequence[Operand]
) -> tuple[Operand, Operand]:
    (x, y), (dx, dy) = primals, tangents
    slope = _ratio(x, ops.add(y, number(1, y)))
    return _xlog1py(x, y), add(multiply(dx, ops.log_plus_one(y)), multiply(dy, slope))


@composed
def xlog1py(x: ArrayLike, y: ArrayLike) -> Array:
    """Compute `x * log1p(y)`, 0 where x is 0, also where y is NaN (SciPy has NaN there).

    Example:
        >>> print(xlog1py(np.array([0.0, 2.0], np.float32), np.array([-1.0, 0.0], np.float32)))
        [0. 0.]
    """
    a, b = promote_shapes("xlog1py", x, y, inexact=True)
    result: Array = _xlog1py(a, b)
    return result


@partial(custom_jvp, pure=True)
def _entr(x: Operand) -> Array:
    # at zero and below it is the product of one, so that there is no NaN for `debug_nans` to find
    inside = ops.select(ops.compare(x, zero_like(x), direction="le"), number(1, x), x)
    value = ops.negate(ops.multiply(inside, ops.log(inside)))
    below = ops.compare(x, zero_like(x), direction="lt")
    return ops.select(below, number(-np.inf, x), value)


@_entr.defjvp
def _entr_jvp(primals: Sequence[Operand], tangents: Sequence[Operand]) -> tuple[Operand, Operand]:
    (x,), (dx,) = primals, tangents
    # infinite at 0, where x / x would be NaN; 0 below, where there is one value
    below = ops.compare(x, zero_like(x), direction="lt")
    logarithm = ops.log(ops.select(below, number(1, x), x))
    slope = ops.negate(ops.add(logarithm, number(1, x)))
    return _entr(x), multiply(dx, ops.select(below, zero_like(x), slope))


@composed
def entr(x: ArrayLike) -> Array:
    """Compute `-x log x`, the share of one outcome in an entropy: 0 at 0, minus infinity below.

    Raises:
        DTypeError: the argument is complex.

    Example:
        >>> print(entr(np.array([-1.0, 0.5, 2.0], np.float32)).round(4))
        [   -inf  0.3466 -1.3863]
    """
    result: Array = _entr(real_operand("entr", x))
    return result


@composed
def rel_entr(p: ArrayLike, q: ArrayLike) -> Array:
    """`p log(p / q)`, 0 where p is 0 and q is not negative, infinity where it is undefined, NaN where p or q is NaN.

    Undefined is: a negative number, or q is 0 and p is not. The sum is the relative entropy of two distributions.

    Raises:
        DTypeError: an argument is complex.

    Example:
        >>> print(rel_entr(np.array([0.0, 2.0, 1.0], np.float32), np.array([1.0, 1.0, 0.0], np.float32)).round(4))
        [0.     1.3863    inf]
    """
    x, y = real_operands("rel_entr", p, q)
    zero, one = zero_like(x), number(1, x)
    both = ops.and_(ops.compare(x, zero, direction="gt"), ops.compare(y, zero, direction="gt"))
    none = ops.and_(ops.compare(x, zero, direction="eq"), ops.compare(y, zero, direction="ge"))
    safe_x, safe_y = ops.select(both, x, one), ops.select(both, y, one)
    value = ops.multiply(safe_x, ops.subtract(ops.log(safe_x), ops.log(safe_y)))
    numbers = ops.and_(ops.compare(x, x, direction="eq"), ops.compare(y, y, direction="eq"))
    undefined = ops.select(numbers, number(np.inf, x), number(np.nan, x))
    return ops.select(both, value, ops.select(none, zero, undefined))


@composed
def kl_div(p: ArrayLike, q: ArrayLike) -> Array:
    """Compute `p log(p / q) - p + q`: `rel_entr` made convex and never negative.

    Its sum over two distributions equals the sum of `rel_entr`, the divergence of Kullback and Leibler.

    Raises:
        DTypeError: an argument is complex.

    Example:
        >>> print(kl_div(np.array([0.0, 2.0, 1.0], np.float32), np.array([1.0, 1.0, 0.0], np.float32)).round(4))
        [1.     0.3863    inf]
    """
    x, y = real_operands("kl_div", p, q)
    return add(subtract(rel_entr(x, y), x), y)


@composed
def boxcox(x: ArrayLike, lmbda: ArrayLike) -> Array:
    """Return the transformation of Box and Cox, `(x ** lmbda - 1) / lmbda`; `log(x)` where `lmbda` is 0.

    Example:
        >>> print(f"{float(boxcox(2.0, 1.0)):.4f}")
        1.0000
    """
    p, power = promote_shapes("boxcox", x, lmbda, inexact=True)
    return _box_cox(ops.log(p), power)


@composed
def boxcox1p(x: ArrayLike, lmbda: ArrayLike) -> Array:
    """Compute `boxcox(1 + x, lmbda)`, without the cancellation for small `x`.

    Example:
        >>> print(f"{float(boxcox1p(1.0, 1.0)):.4f}")
        1.0000
    """
    p, power = promote_shapes("boxcox1p", x, lmbda, inexact=True)
    return _box_cox(ops.log_plus_one(p), power)


_INVERSE_FACTORIALS: Final = tuple([1 / math.factorial(n) for n in range(8, 0, -1)])


def _box_cox(logarithm: Operand, power: Operand) -> Array:
    """`logarithm * (e^z - 1) / z` with z = power * logarithm, by the series near z = 0, also for derivatives."""
    # an infinite logarithm is the result itself where the power is 0
    modulus = ops.abs(logarithm)
    limit = ops.and_(
        ops.compare(power, zero_like(power), direction="eq"),
        ops.compare(modulus, number(np.inf, modulus), direction="eq"),
    )
    finite = ops.select(limit, zero_like(logarithm), logarithm)
    z = ops.multiply(power, finite)
    near = ops.compare(ops.abs(z), number(1e-2, modulus), direction="lt")
    inner = ops.select(near, z, zero_like(z))
    # what is left out is 1e-7 of the third derivative in f32, and 4e-13 in f64
    first, *rest = _INVERSE_FACTORIALS[0 if finfo(z.dtype).eps < 1e-10 else 2 :]
    series: Operand = number(first, z)
    for c in rest:
        series = ops.add(ops.multiply(series, inner), number(c, z))
    # infinite at x = 0 for powers below 0
    far = ops.divide(ops.exponential_minus_one(z), ops.select(near, number(1, z), power))
    usual = ops.select(near, ops.multiply(finite, series), far)
    return ops.select(limit, logarithm, usual)


def _weighed(weights: Array, exponents: Array) -> Array:
    """Compute `weights * exp(exponents)`; 0 where the weight is, with the slope by it of the other terms."""
    # an exponential there must not overflow, since 0 times infinity is not a number
    size = ops.real(exponents) if is_complex(exponents.dtype) else exponents
    greatest = np.log(float(finfo(size.dtype).max)) - 1
    most = number(greatest, size)
    absent = ops.compare(weights, zero_like(weights), direction="eq")
    beyond = ops.and_(absent, ops.not_(ops.compare(size, most, direction="lt")))
    return multiply(weights, exp(ops.select(beyond, number(greatest, exponents), exponents)))


@overload
def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: Literal[False] = False,
    where: ArrayLike | None = None,
) -> Array: ...
@overload
def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    *,
    return_sign: Literal[True],
    where: ArrayLike | None = None,
) -> tuple[Array, Array]: ...
@composed
def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    where: ArrayLike | None = None,
) -> Array | tuple[Array, Array]:
    """Compute `log(sum(b * exp(a)))` along axes, without overflow.

    Example:
        >>> print(f"{float(logsumexp(np.array([1000.0, 1000.0], np.float32))):.2f}")
        1000.69
    """
    flags("logsumexp", keepdims=keepdims, return_sign=return_sign)
    if b is not None:
        x, weights = [array_of(v) for v in promote_shapes("logsumexp", a, b, inexact=True)]
        # a number met by an array is one for each of its elements
        x, weights = [
            ops.broadcast_in_dim(v, shape=other.shape, dimensions=())
            if other.ndim and not v.ndim
            else v
            for v, other in ((x, weights), (weights, x))
        ]
    else:
        x, weights = array_of(inexact_operand("logsumexp", a)), None
    if where is not None:
        x = with_axes_of("logsumexp", x, where)
    axes = sorted_axes("logsumexp", axis, x.ndim)
    magnitudes = array_of(ops.real(x) if is_complex(x.dtype) else x)
    if weights is not None:  # the greatest of the terms that add something
        absent = ops.compare(weights, zero_like(weights), direction="eq")
        magnitudes = ops.select(absent, number(-np.inf, magnitudes), magnitudes)
    top = peak("logsumexp", magnitudes, axes, where)
    top = ops.stop_gradient(ops.select(ops.is_finite(top), top, zero_like(top)))
    exponents = subtract(x, top)
    if where is not None:  # what is left out must not overflow: its slope would be 0 times infinity
        exponents = array_of(where_(where, exponents, literal(0, exponents)))
    powers = exp(exponents) if weights is None else _weighed(weights, exponents)
    total = sum(powers, axes, keepdims=True, where=where)
    sign = ops.sign(total)
    if return_sign:
        total = ops.abs(total)
    elif weights is not None and not is_complex(total.dtype):
        below = ops.compare(total, zero_like(total), direction="lt")
        total = ops.select(below, number(np.nan, total), total)
    result = add(log(total), top)
    if not keepdims:
        shape = tuple([n for i, n in enumerate(result.shape) if i not in axes])
        result, sign = ops.reshape(result, shape=shape), ops.reshape(sign, shape=shape)
    return (result, sign) if return_sign else result


@composed
def log_softmax(x: ArrayLike, /, *, axis: Axis = None) -> Array:
    """Return the logarithm of softmax along axes (all, by default), without overflow or underflow.

    Raises:
        AxisError: there is no such axis.

    Example:
        >>> print(log_softmax(np.array([1000.0, 0.0], np.float32)))
        [    0. -1000.]
    """
    operand = inexact_operand("log_softmax", x)
    return subtract(operand, logsumexp(operand, axis, keepdims=True))


@composed
def softmax(x: ArrayLike, /, *, axis: Axis = None) -> Array:
    """Exponentials divided by their sum along axes (all, by default), without overflow.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: the axes have no elements.

    Example:
        >>> print(softmax(np.array([[1000.0, 1000.0], [0.0, 1000.0]], np.float32), axis=1))
        [[0.5 0.5]
         [0.  1. ]]
    """
    operand = array_of(inexact_operand("softmax", x))
    return _softmax(sorted_axes("softmax", axis, operand.ndim), operand)


@partial(custom_jvp, nondiff_argnums=(0,), pure=True)
def _softmax(axes: tuple[int, ...], x: Array) -> Array:
    top = ops.stop_gradient(peak("softmax", x, axes))
    powers = exp(subtract(x, top))
    return divide(powers, sum(powers, axes, keepdims=True))


@_softmax.defjvp
def _softmax_jvp(
    axes: tuple[int, ...], primals: Sequence[Array], tangents: Sequence[Array]
) -> tuple[Array, Array]:
    # dy_i = y_i (dx_i - sum_j y_j dx_j): it needs the result alone, and no exponential or quotient a second time.
    (x,), (dx,) = primals, tangents
    y = _softmax(axes, x)
    weighed = multiply(y, dx)
    mean = sum(weighed, axes, keepdims=True)
    return y, subtract(weighed, multiply(y, mean))

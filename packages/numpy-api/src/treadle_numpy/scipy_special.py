"""scipy.special: what can be had from the primitives erf, erf_inv, lgamma and digamma, and exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array
from treadle_ir.dtypes import is_complex
from treadle_numpy.coercion import (
    ArrayLike,
    Axis,
    ValueArgumentError,
    array_of,
    ops,
    promote_shapes,
)
from treadle_numpy.elementwise import (
    add,
    divide,
    exp,
    inexact_operand,
    literal,
    log,
    multiply,
    subtract,
    zero_like,
)
from treadle_numpy.reductions import max, sorted_axes, sum
from treadle_numpy.searching import where as where_


def erf(x: ArrayLike) -> Array:
    """The error function.

    Example:
        >>> print(erf(0.0))
        0.0
    """
    return ops.erf(inexact_operand("erf", x))


def erfc(x: ArrayLike) -> Array:
    """`1 - erf(x)`, without cancellation."""
    return ops.erfc(inexact_operand("erfc", x))


def erfinv(x: ArrayLike) -> Array:
    """The inverse of the error function."""
    return ops.erf_inv(inexact_operand("erfinv", x))


def expit(x: ArrayLike) -> Array:
    """`1 / (1 + exp(-x))`."""
    return ops.logistic(inexact_operand("expit", x))


def logit(x: ArrayLike) -> Array:
    """`log(x / (1 - x))`, the inverse of `expit`."""
    p = inexact_operand("logit", x)
    return ops.subtract(ops.log(p), ops.log_plus_one(ops.negate(p)))


def gammaln(x: ArrayLike) -> Array:
    """The logarithm of the absolute value of the gamma function."""
    return ops.lgamma(inexact_operand("gammaln", x))


loggamma = gammaln


def gammasgn(x: ArrayLike) -> Array:
    """The sign of the gamma function."""
    p = inexact_operand("gammasgn", x)
    zero, one = zero_like(p), literal(1, p)
    down = ops.floor(p)
    odd = ops.compare(ops.remainder(down, literal(2, p)), zero, direction="ne")
    negative = ops.and_(ops.compare(p, zero, direction="lt"), odd)
    pole = ops.and_(ops.compare(p, zero, direction="lt"), ops.compare(p, down, direction="eq"))
    return ops.select(pole, literal(np.nan, p), ops.select(negative, literal(-1, p), one))


def gamma(x: ArrayLike) -> Array:
    """The gamma function.

    Example:
        >>> print(gamma(1.0))
        1.0
    """
    p = inexact_operand("gamma", x)
    return ops.multiply(gammasgn(p), ops.exponential(ops.lgamma(p)))


def factorial(n: ArrayLike, exact: bool = False) -> Array:
    """`gamma(n + 1)`, 0 for negative n.

    Raises:
        ValueArgumentError: `exact` is asked for.
    """
    if exact:
        raise ValueArgumentError("factorial: exact=True is not supported")
    p = inexact_operand("factorial", n)
    zero = zero_like(p)
    below = ops.compare(p, zero, direction="lt")
    return ops.select(
        below, zero, ops.exponential(ops.lgamma(ops.add(ops.select(below, zero, p), literal(1, p))))
    )


def digamma(x: ArrayLike) -> Array:
    """The derivative of `gammaln`."""
    return ops.digamma(inexact_operand("digamma", x))


def betaln(a: ArrayLike, b: ArrayLike) -> Array:
    """The logarithm of the beta function."""
    x, y = promote_shapes("betaln", a, b, inexact=True)
    return ops.subtract(ops.add(ops.lgamma(x), ops.lgamma(y)), ops.lgamma(ops.add(x, y)))


def beta(a: ArrayLike, b: ArrayLike) -> Array:
    """The beta function."""
    x, y = promote_shapes("beta", a, b, inexact=True)
    sign = ops.multiply(ops.multiply(gammasgn(x), gammasgn(y)), gammasgn(ops.add(x, y)))
    return ops.multiply(sign, ops.exponential(betaln(x, y)))


def multigammaln(a: ArrayLike, d: int) -> Array:
    """The logarithm of the multivariate gamma function of dimension `d`."""
    p = inexact_operand("multigammaln", a)
    result: Any = literal(d * (d - 1) / 4 * np.log(np.pi), p)
    for i in range(d):
        result = ops.add(result, ops.lgamma(ops.subtract(p, literal(i / 2, p))))
    return array_of(result)


@custom_jvp
def _xlogy(x: Any, y: Any) -> Any:
    zero = ops.compare(x, zero_like(x), direction="eq")
    return ops.select(zero, zero_like(x), ops.multiply(x, ops.log(y)))


@_xlogy.defjvp
def _xlogy_jvp(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return _xlogy(x, y), add(multiply(dx, ops.log(y)), multiply(dy, ops.divide(x, y)))


def xlogy(x: ArrayLike, y: ArrayLike) -> Array:
    """`x * log(y)`, 0 where x is 0.

    Example:
        >>> print(xlogy(0.0, 0.0))
        0.0
    """
    a, b = promote_shapes("xlogy", x, y, inexact=True)
    result: Array = _xlogy(a, b)
    return result


@custom_jvp
def _xlog1py(x: Any, y: Any) -> Any:
    zero = ops.compare(x, zero_like(x), direction="eq")
    return ops.select(zero, zero_like(x), ops.multiply(x, ops.log_plus_one(y)))


@_xlog1py.defjvp
def _xlog1py_jvp(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    slope = ops.divide(x, ops.add(y, literal(1, y)))
    return _xlog1py(x, y), add(multiply(dx, ops.log_plus_one(y)), multiply(dy, slope))


def xlog1py(x: ArrayLike, y: ArrayLike) -> Array:
    """`x * log1p(y)`, 0 where x is 0."""
    a, b = promote_shapes("xlog1py", x, y, inexact=True)
    result: Array = _xlog1py(a, b)
    return result


def entr(x: ArrayLike) -> Array:
    """`-x log x`, 0 at 0, minus infinity below."""
    p = inexact_operand("entr", x)
    zero = zero_like(p)
    inner = ops.negate(_xlogy(p, p))
    return ops.select(ops.compare(p, zero, direction="lt"), literal(-np.inf, p), inner)


def rel_entr(p: ArrayLike, q: ArrayLike) -> Array:
    """`p log(p / q)`, 0 where p is 0, infinity where it is undefined."""
    x, y = promote_shapes("rel_entr", p, q, inexact=True)
    zero, one = zero_like(x), literal(1, x)
    both = ops.and_(ops.compare(x, zero, direction="gt"), ops.compare(y, zero, direction="gt"))
    none = ops.and_(ops.compare(x, zero, direction="eq"), ops.compare(y, zero, direction="ge"))
    safe_x, safe_y = ops.select(both, x, one), ops.select(both, y, one)
    value = ops.multiply(safe_x, ops.subtract(ops.log(safe_x), ops.log(safe_y)))
    return ops.select(both, value, ops.select(none, zero, literal(np.inf, x)))


def kl_div(p: ArrayLike, q: ArrayLike) -> Array:
    """`p log(p / q) - p + q`."""
    return add(subtract(rel_entr(p, q), p), q)


def ndtr(x: ArrayLike) -> Array:
    """The normal distribution function."""
    p = inexact_operand("ndtr", x)
    half, root = literal(0.5, p), literal(np.sqrt(0.5), p)
    w = ops.multiply(p, root)
    z = ops.abs(w)
    outer = ops.select(
        ops.compare(w, zero_like(w), direction="gt"),
        ops.subtract(literal(2, p), ops.erfc(z)),
        ops.erfc(z),
    )
    near = ops.add(literal(1, p), ops.erf(w))
    return ops.multiply(half, ops.select(ops.compare(z, root, direction="lt"), near, outer))


def ndtri(p: ArrayLike) -> Array:
    """The inverse of the normal distribution function."""
    x = inexact_operand("ndtri", p)
    return ops.multiply(
        literal(np.sqrt(2), x),
        ops.erf_inv(ops.subtract(ops.multiply(x, literal(2, x)), literal(1, x))),
    )


def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    where: ArrayLike | None = None,
) -> Any:
    """`log(sum(b * exp(a)))` along axes, without overflow.

    Example:
        >>> print(f"{float(logsumexp(np.array([1000.0, 1000.0], np.float32))):.3f}")
        1000.693
    """
    if b is not None:
        x, weights = [array_of(v) for v in promote_shapes("logsumexp", a, b, inexact=True)]
        weights = (
            ops.broadcast_in_dim(weights, shape=x.shape, dimensions=())
            if not weights.ndim and x.ndim
            else weights
        )
        x = array_of(
            where_(ops.compare(weights, zero_like(weights), direction="ne"), x, literal(-np.inf, x))
        )
    else:
        x, weights = array_of(inexact_operand("logsumexp", a)), None
    axes = sorted_axes("logsumexp", axis, x.ndim)
    magnitudes = ops.real(x) if is_complex(x.dtype) else x
    top = max(magnitudes, axes, keepdims=True, initial=-np.inf, where=where)
    top = ops.stop_gradient(ops.select(ops.is_finite(top), top, zero_like(top)))
    powers = exp(subtract(x, top))
    if weights is not None:
        powers = multiply(weights, powers)
    total = sum(powers, axes, keepdims=True, where=where)
    sign: Any = None
    if return_sign:
        sign = ops.sign(total)
        total = ops.abs(total)
    elif weights is not None and not is_complex(total.dtype):
        below = ops.compare(total, zero_like(total), direction="lt")
        total = ops.select(below, literal(np.nan, total), total)
    result = add(log(total), top)
    if not keepdims:
        shape = tuple([n for i, n in enumerate(x.shape) if i not in axes])
        result = ops.reshape(result, shape=shape)
        sign = ops.reshape(sign, shape=shape) if return_sign else None
    return (result, sign) if return_sign else result


def log_softmax(x: ArrayLike, /, *, axis: Axis = None) -> Array:
    """The logarithm of softmax along axes (all, by default)."""
    operand = inexact_operand("log_softmax", x)
    return subtract(operand, logsumexp(operand, axis, keepdims=True))


def softmax(x: ArrayLike, /, *, axis: Axis = None) -> Array:
    """Exponentials divided by their sum along axes (all, by default)."""
    operand = array_of(inexact_operand("softmax", x))
    axes = sorted_axes("softmax", axis, operand.ndim)
    powers = exp(subtract(operand, ops.stop_gradient(max(operand, axes, keepdims=True))))
    return divide(powers, sum(powers, axes, keepdims=True))

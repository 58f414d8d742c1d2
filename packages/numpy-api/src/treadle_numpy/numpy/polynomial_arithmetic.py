"""Sums, products, quotients, derivatives and integrals of polynomials, the highest coefficient first."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.errors import flags, integer
from treadle_numpy.lax.control.scan import scan
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.editing import trim_zeros
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.numpy.signals import convolve
from treadle_numpy.operands.arrays import Elements, array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote

__all__ = ["polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub"]


@composed
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Return the sum of two polynomials.

    Shapes:
        a1: [n, ...], a2: [m, ...]
        result: [max(n, m), ...]; what stands after the first axis of the shorter one is broadcast

    Differs from NumPy: leading zeros stay, since sizes must not depend on elements.

    Raises:
        ShapeError: they are scalars, or have no common shape after the first axis.

    Example:
        >>> print(polyadd(np.array([1, 2, 3]), np.array([2, 1])))
        [1 4 4]
    """
    x, y = _aligned("polyadd", a1, a2)
    return ops.add(x, y)


@composed
def polysub(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Return the difference of two polynomials; shapes and errors are as for `polyadd`.

    Example:
        >>> print(polysub(np.array([1, 2, 3]), np.array([2, 1])))
        [1 0 2]
    """
    x, y = _aligned("polysub", a1, a2)
    return ops.subtract(x, y)


@composed
def polymul(a1: ArrayLike, a2: ArrayLike, *, trim_leading_zeros: bool = False) -> Array:
    """Return the product of two polynomials, as floats.

    Shapes:
        a1: [n], a2: [m]
        result: [n + m - 1]

    Differs from NumPy: leading zeros stay, unless `trim_leading_zeros`, which needs known elements.

    Raises:
        ShapeError: the coefficients are not vectors.
        ConcretizationError: while tracing, with `trim_leading_zeros`.

    Example:
        >>> print(polymul(np.array([1.0, 2.0], np.float32), np.array([1.0, -1.0], np.float32)))
        [ 1.  1. -2.]
    """
    flags("polymul", trim_leading_zeros=trim_leading_zeros)
    x, y = [array_of(v) for v in promote("polymul", a1, a2, inexact=True)]
    x, y = _vector("polymul", x), _vector("polymul", y)
    if trim_leading_zeros and x.size > 1 and y.size > 1:
        x, y = trim_zeros(x, "f"), trim_zeros(y, "f")
    zero = np.zeros(1, x.dtype)
    x, y = [each if each.size else array_of(zero) for each in (x, y)]
    return convolve(x, y, "full", precision="highest")


@composed
def polyder(p: ArrayLike, m: int = 1) -> Array:
    """Return the m-th derivative of a polynomial, as floats.

    Shapes:
        p: [n, ...]
        result: [max(n - m, 0), ...]

    Raises:
        ArgumentError: m is negative.
        ShapeError: p is a scalar.

    Example:
        >>> print(polyder(np.array([1.0, 2.0, 3.0], np.float32)))
        [2. 2.]
    """
    order = _order("polyder", m)
    x = _coefficients("polyder", array_of(promote("polyder", p, inexact=True)[0]))
    if not order:
        return x
    size = max(x.shape[0] - order, 0)
    if not size:
        return slice_along(x, 0, 0, 0)
    # of x**k it is k * (k - 1) * ... * (k - m + 1) * x**(k - m)
    powers = np.arange(size - 1, -1, -1.0) + order
    factors = np.prod(powers[:, None] - np.arange(order), axis=1)
    return _scaled(slice_along(x, 0, 0, size), factors)


@composed
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Array:
    """Return the m-th integral of a polynomial, as floats, with constants of integration `k` (0): one, or one for each
    step.

    Shapes:
        p: [n]
        k: [] or [1] or [m], the first for the first integral
        result: [n + m]

    Raises:
        ArgumentError: m is negative.
        ShapeError: p is not a vector, or k has another size.

    Example:
        >>> print(polyint(np.array([6.0, 2.0], np.float32), 2, 5.0))
        [1. 1. 5. 5.]
    """
    order = _order("polyint", m)
    given = promote("polyint", p, 0 if k is None else k, inexact=True)
    x, constants = _vector("polyint", array_of(given[0])), ravel(array_of(given[1]))
    if order and constants.size not in (1, order):
        raise ShapeError(
            f"polyint: k must be a scalar or a vector of size 1 or {order}, got size {constants.size}"
        )
    if not order:
        return x
    whole = concatenate([x, broadcast_to(constants, (order,))])
    # the coefficient that comes to stand for x**n has been integrated n - n0 times from x**n0 on
    after = np.arange(x.size + order - 1, -1, -1.0)
    steps = np.where(np.arange(after.size) < x.size, order, after)
    factors = [np.prod(np.arange(n - by + 1, n + 1)) for n, by in zip(after, steps, strict=True)]
    return _scaled(whole, 1 / np.array(factors))


def polydiv(u: ArrayLike, v: ArrayLike, *, trim_leading_zeros: bool = False) -> tuple[Array, Array]:
    """Quotient and remainder of two polynomials, as floats.

    Shapes:
        u: [n], v: [m]
        result: [max(n - m + 1, 1)] and [n]

    Differs from NumPy: the remainder keeps its leading zeros, unless `trim_leading_zeros`, which needs known elements.

    Raises:
        ShapeError: the coefficients are not vectors, or there are none.
        ConcretizationError: while tracing, with `trim_leading_zeros`.

    Example:
        >>> print(*polydiv(np.array([1.0, 3.0, 5.0], np.float32), np.array([1.0, 1.0], np.float32)))
        [1. 2.] [0. 0. 3.]
    """
    flags("polydiv", trim_leading_zeros=trim_leading_zeros)
    x, y = [array_of(v) for v in promote("polydiv", u, v, inexact=True)]
    x, y = _vector("polydiv", x), _vector("polydiv", y)
    if not x.size or not y.size:
        raise ShapeError("polydiv: a polynomial has one coefficient or more")
    n, m = x.size, y.size
    if n < m:
        return array_of(np.zeros(1, x.dtype)), x
    first = ops.reshape(slice_along(y, 0, 0, 1), shape=())

    def step(rest: Array, _: Array) -> tuple[Array, Array]:
        factor = ops.divide(ops.reshape(slice_along(rest, 0, 0, 1), shape=()), first)
        wide = ops.broadcast_in_dim(factor, shape=(m,), dimensions=())
        taken = ops.subtract(slice_along(rest, 0, 0, m), ops.multiply(wide, y))
        # what is first from now on
        rest = concatenate([slice_along(taken, 0, 1, m), slice_along(rest, 0, m, n), taken[:1]])
        return rest, factor

    rest, quotient = scan(step, x, None, length=n - m + 1)
    # the steps have turned it: those that were divided stand last
    turned = n - (n - m + 1)
    remainder = concatenate([slice_along(rest, 0, turned, n), slice_along(rest, 0, 0, turned)])
    if trim_leading_zeros:
        remainder = trim_zeros(remainder, "f")
    return quotient, remainder


def _aligned(function: str, a1: ArrayLike, a2: ArrayLike) -> tuple[Array, Array]:
    """Coefficients of one element type and shape: zeros in front of the shorter ones."""
    x, y = [_coefficients(function, array_of(v)) for v in promote(function, a1, a2)]
    longer = x if x.shape[0] >= y.shape[0] else y
    count, rest = longer.shape[0], longer.shape[1:]
    try:
        x, y = [array_of(broadcast_to_shape(v, (v.shape[0], *rest))) for v in (x, y)]
    except ShapeError:
        raise ShapeError(
            f"{function}: coefficients have shapes {x.shape} and {y.shape}, which differ after the first axis"
        ) from None
    return _lengthened(x, count), _lengthened(y, count)


def _lengthened(x: Array, count: int) -> Array:
    missing = count - x.shape[0]
    if not missing:
        return x
    low = [missing, *[0] * (x.ndim - 1)]
    return ops.pad(x, x.dtype.type(0), low=low, high=[0] * x.ndim)


def _coefficients(function: str, x: Array) -> Array:
    if not x.ndim:
        raise ShapeError(f"{function}: coefficients must have an axis, got a scalar")
    return x


def _vector(function: str, x: Array) -> Array:
    if x.ndim != 1:
        raise ShapeError(f"{function}: coefficients must be a vector, got shape {x.shape}")
    return x


def _order(function: str, m: int) -> int:
    order = integer(function, "m", m)
    if order < 0:
        raise ArgumentError(f"{function}: the order m must be 0 or more, got {order}")
    return order


def _scaled(x: Array, factors: Elements) -> Array:
    """Coefficients times one number each."""
    along = array_of(factors.astype(x.dtype))
    wide = ops.broadcast_in_dim(along, shape=x.shape, dimensions=(0,))
    return ops.multiply(x, wide)

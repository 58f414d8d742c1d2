"""The error function and the normal distribution."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import integer, refused
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted, inexact_operand
from treadle_numpy.operands.real import real_operand, real_operands
from treadle_numpy.operands.scalars import literal, zero_like
from treadle_numpy.scipy.special.faddeeva import wofz

__all__ = [
    "dawsn",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "log_ndtr",
    "ndtr",
    "ndtri",
    "owens_t",
]


@composed
def erf(x: ArrayLike) -> Array:
    """Return the error function.

    Example:
        >>> print(erf(0.0))
        0.0
    """
    return ops.erf(real_operand("erf", x))


@composed
def erfc(x: ArrayLike) -> Array:
    """Compute `1 - erf(x)`, without cancellation.

    Raises:
        DTypeError: the argument is complex.

    Example:
        >>> print(f"{float(erfc(5.0)):.4g}")
        1.537e-12
    """
    return ops.erfc(real_operand("erfc", x))


@composed
def erfinv(x: ArrayLike) -> Array:
    """Return the inverse of the error function: infinite at -1 and 1, NaN beyond them.

    Raises:
        DTypeError: the argument is complex.

    Example:
        >>> print(erfinv(np.array([-1.0, 0.0, 0.5], np.float32)).round(4))
        [  -inf 0.     0.4769]
    """
    return ops.erf_inv(real_operand("erfinv", x))


@composed
def ndtr(x: ArrayLike) -> Array:
    """Return the normal distribution function: the probability that a standard normal variable is less than `x`.

    Where it underflows `log_ndtr` has its logarithm.

    Raises:
        DTypeError: the argument is complex.

    Example:
        >>> print(ndtr(np.array([-np.inf, 0.0, 1.96], np.float32)).round(3))
        [0.    0.5   0.975]
    """
    p = real_operand("ndtr", x)
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


@composed
def erfcinv(y: ArrayLike) -> Array:
    """Return the inverse of `erfc`: exact to 4 units in the last place, also for the least positive numbers.

    Example:
        >>> print(erfcinv(1.0))
        0.0
    """
    return ops.erfc_inv(real_operand("erfcinv", y))


@composed
def erfcx(x: ArrayLike) -> Array:
    """Compute `exp(x ** 2) * erfc(x)`, which does not underflow; exact to 8 units in the last place.

    Of complex numbers it is the Faddeeva function, `wofz(1j * x)`, with its accuracy.

    Example:
        >>> print(f"{float(erfcx(100.0)):.6f}")
        0.005642
    """
    operand = inexact_operand("erfcx", x)
    if is_complex(operand.dtype):
        return wofz(ops.multiply(operand, literal(1j, operand)))
    return ops.erfcx(converted(operand, operand.dtype))


@composed
def dawsn(x: ArrayLike) -> Array:
    """Dawson's integral, `exp(-x ** 2)` times the integral of `exp(t ** 2)`; exact to 4 units in the last place.

    Example:
        >>> print(f"{float(dawsn(2.0)):.4f}")
        0.3013
    """
    return ops.dawson(real_operand("dawsn", x, strong=True))


@composed
def owens_t(h: ArrayLike, a: ArrayLike) -> Array:
    """Owen's T: the probability of `X > h` and `0 < Y < a X` for independent normal X and Y.

    Exact to 50 units in the last place, except in tails of many standard deviations.

    Example:
        >>> print(f"{float(owens_t(1.0, 2.0)):.4f}")
        0.0785
    """
    return ops.owens_t(*real_operands("owens_t", h, a, strong=True))


def _scaled_tail(x: Operand) -> Array:
    """Compute `exp(x^2 / 2) ndtr(x)`, times 2."""
    return ops.erfcx(ops.multiply(x, literal(-np.sqrt(0.5), x)))


@partial(custom_jvp, pure=True)
def _log_ndtr(x: Operand) -> Array:
    below = ops.compare(x, zero_like(x), direction="lt")
    size = ops.abs(x)
    half_square = ops.multiply(literal(0.5, x), ops.square(x))
    tail = ops.multiply(literal(0.5, x), ops.erfcx(ops.multiply(size, literal(np.sqrt(0.5), x))))
    missing = ops.multiply(tail, ops.exponential(ops.negate(half_square)))
    # log(1 - missing) is the logarithm of what that is rounded to, and what it is rounded by over it
    one = literal(1, x)
    rest = ops.subtract(one, missing)
    lost = ops.divide(ops.subtract(ops.subtract(one, rest), missing), rest)
    logarithm = ops.log(ops.select(below, tail, rest))
    return ops.add(logarithm, ops.select(below, ops.negate(half_square), lost))


@_log_ndtr.defjvp
def _log_ndtr_jvp(
    primals: Sequence[Operand], tangents: Sequence[Operand]
) -> tuple[Operand, Operand]:
    (x,), (dx,) = primals, tangents
    slope = ops.divide(literal(np.sqrt(2 / np.pi), x), _scaled_tail(x))
    return _log_ndtr(x), ops.multiply(dx, slope)


@composed
def log_ndtr(x: ArrayLike, series_order: int = 3) -> Array:
    """Return the logarithm of the normal distribution function, in the far tails too.

    Exact to 4 units in the last place, and for positive `x` to `x ** 2 / 2` more, which rounding that square costs.

    `series_order` is accepted and changes nothing: no series is cut.

    Example:
        >>> print(f"{float(log_ndtr(-100.0)):.2f}")
        -5005.52
    """
    order = integer("log_ndtr", "series_order", series_order)
    if order < 0:
        raise refused("log_ndtr", "series_order", "0 or more", series_order)
    result: Array = _log_ndtr(real_operand("log_ndtr", x))
    return result


@composed
def ndtri(p: ArrayLike) -> Array:
    """Return the inverse of the normal distribution function: exact to 6 units in the last place, also for small `p`.

    Example:
        >>> print(f"{float(ndtri(1e-10)):.4f}")
        -6.3613
    """
    x = real_operand("ndtri", p)
    return ops.multiply(literal(-np.sqrt(2), x), ops.erfc_inv(ops.multiply(x, literal(2, x))))

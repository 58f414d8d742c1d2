"""The gamma function and its relatives."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags, integer, refused
from treadle_numpy.numpy.ufuncs.signs import signbit
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.real import real_operand
from treadle_numpy.operands.scalars import literal, number, zero_like
from treadle_numpy.scipy.special.complex_gammas import complex_loggamma

__all__ = [
    "digamma",
    "factorial",
    "gamma",
    "gammaln",
    "gammasgn",
    "loggamma",
    "multigammaln",
]


@composed
def gammaln(x: ArrayLike) -> Array:
    """Return the logarithm of the absolute value of the gamma function; infinite at 0 and at negative integers.

    `gammasgn` has the sign.

    Raises:
        DTypeError: the argument is complex.

    Example:
        >>> print(f"{float(gammaln(5.0)):.4f}")
        3.1781
    """
    return ops.lgamma(real_operand("gammaln", x))


@composed
def loggamma(x: ArrayLike) -> Array:
    """Return the logarithm of the gamma function, NaN at negative numbers.

    `gammaln` has the logarithm of the absolute value there.

    The logarithm is the analytic one, which is complex at negative numbers; complex arguments give it, exact to 30
    units in the last place of its modulus or of 1, whichever is greater.

    Example:
        >>> print(loggamma(np.array([-0.5, 0.0, 1.0], np.float32)))
        [nan inf  0.]
    """
    p = inexact_operand("loggamma", x)
    if is_complex(p.dtype):
        return complex_loggamma(p)
    below = ops.compare(p, zero_like(p), direction="lt")
    return ops.select(below, number(np.nan, p), ops.lgamma(p))


@composed
def gammasgn(x: ArrayLike) -> Array:
    """Return the sign of the gamma function: 1 or -1, NaN at negative integers and at NaN, -1 at -0.0 and 1 at 0.0.

    Raises:
        DTypeError: the argument is complex.

    Example:
        >>> print(gammasgn(np.array([-1.5, -1.0, -0.5, 2.0], np.float32)))
        [ 1. nan -1.  1.]
    """
    p = real_operand("gammasgn", x)
    zero, one = zero_like(p), literal(1, p)
    down = ops.floor(p)
    odd = ops.compare(ops.remainder(down, literal(2, p)), zero, direction="ne")
    below = ops.compare(p, zero, direction="lt")
    minus_zero = ops.and_(ops.compare(p, zero, direction="eq"), signbit(p))
    negative = ops.or_(ops.and_(below, odd), minus_zero)
    pole = ops.and_(below, ops.compare(p, down, direction="eq"))
    undefined = ops.or_(pole, ops.compare(p, p, direction="ne"))
    return ops.select(undefined, literal(np.nan, p), ops.select(negative, literal(-1, p), one))


@composed
def gamma(x: ArrayLike) -> Array:
    """Return the gamma function, also of complex numbers.

    Example:
        >>> print(gamma(1.0))
        1.0
    """
    p = inexact_operand("gamma", x)
    if is_complex(p.dtype):
        return ops.exponential(complex_loggamma(p))
    return ops.multiply(gammasgn(p), ops.exponential(ops.lgamma(p)))


@composed
def factorial(n: ArrayLike, exact: bool = False) -> Array:
    """Compute `gamma(n + 1)`, 0 for negative n: floats, computed from a logarithm, so rounded for whole n as well.

    Raises:
        ArgumentError: `exact`, SciPy's way to Python integers, is asked for.
        DTypeError: the argument is complex.

    Example:
        >>> print(factorial(np.array([-1, 0, 4], np.int32)).round(3))
        [ 0.  1. 24.]
    """
    flags("factorial", exact=exact)
    if exact:
        raise ArgumentError("factorial: exact=True is not supported")
    p = real_operand("factorial", n)
    zero = zero_like(p)
    below = ops.compare(p, zero, direction="lt")
    return ops.select(
        below, zero, ops.exponential(ops.lgamma(ops.add(ops.select(below, zero, p), number(1, p))))
    )


@composed
def digamma(x: ArrayLike) -> Array:
    """Return the derivative of `gammaln`: NaN at 0 and at negative integers (SciPy: minus infinity at 0).

    Raises:
        DTypeError: the argument is complex.

    Example:
        >>> print(f"{float(digamma(1.0)):.4f}")
        -0.5772
    """
    return ops.digamma(real_operand("digamma", x))


_MOST_DIMENSIONS: Final = 1 << 12  # each is an operation of its own


@composed
def multigammaln(a: ArrayLike, d: int) -> Array:
    """Return the logarithm of the multivariate gamma function of dimension `d`, for `a > (d - 1) / 2`.

    For lesser `a`, which SciPy refuses, it is the sum of the same logarithms of absolute values.

    Raises:
        ArgumentError: `d` is not an integer from 1 to 4096.
        DTypeError: `a` is complex.

    Example:
        >>> print(f"{float(multigammaln(3.0, 2)):.4f}")
        1.5502
    """
    d = integer("multigammaln", "d", d)
    if not 0 < d <= _MOST_DIMENSIONS:
        raise refused("multigammaln", "d", f"1 to {_MOST_DIMENSIONS}", d)
    p = real_operand("multigammaln", a)
    result: Operand = literal(d * (d - 1) / 4 * np.log(np.pi), p)
    for i in range(d):
        result = ops.add(result, ops.lgamma(ops.subtract(p, literal(i / 2, p))))
    return array_of(result)

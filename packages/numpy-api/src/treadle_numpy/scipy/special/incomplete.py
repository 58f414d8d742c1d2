"""Incomplete gamma and beta functions, and zeta functions; bounds of errors were found against mpmath."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import Array, DTypeError, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import integer, refused
from treadle_numpy.numpy.creation.data import array
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.real import real_operands

__all__ = ["bernoulli", "betainc", "gammainc", "gammaincc", "polygamma", "zeta"]


@composed
def gammainc(a: ArrayLike, x: ArrayLike) -> Array:
    """Return the regularised lower incomplete gamma function, of `a >= 0` and `x >= 0`; NaN elsewhere, and where both
    are 0.

    Exact to 50 units in the last place, plus 2 for each factor of e by which the result is below 1. Differentiable by
    both arguments, to any order.

    Example:
        >>> print(f"{float(gammainc(2.0, 3.0)):.4f}")
        0.8009
    """
    return ops.igamma(*real_operands("gammainc", a, x))


@composed
def gammaincc(a: ArrayLike, x: ArrayLike) -> Array:
    """Return the regularised upper incomplete gamma function, `1 - gammainc(a, x)` without the cancellation.

    As exact as `gammainc`, and differentiable as that.

    Example:
        >>> print(f"{float(gammaincc(2.0, 3.0)):.4f}")
        0.1991
    """
    return ops.igammac(*real_operands("gammaincc", a, x))


@composed
def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """Return the regularised incomplete beta function, of `a >= 0`, `b >= 0` and `x` from 0 to 1; NaN elsewhere.

    Exact to 100 units in the last place for parameters up to 1,000. Differentiable by all arguments, to any order.

    Example:
        >>> print(f"{float(betainc(2.0, 3.0, 0.5)):.4f}")
        0.6875
    """
    return ops.regularized_incomplete_beta(*real_operands("betainc", a, b, x))


@composed
def polygamma(n: ArrayLike, x: ArrayLike) -> Array:
    """Return the derivative of order `n`, of integer type, of `digamma` at `x`; infinite or NaN at its poles 0, -1,
    -2, ...

    Exact to 16 units in the last place for orders to 11, except near the zeros that it has for negative `x`.

    Raises:
        DTypeError: `n` is not of integer type.

    Example:
        >>> print(f"{float(polygamma(1, 1.0)):.4f}")
        1.6449
    """
    type = operand_type(coerce("polygamma", 0, n))
    if not is_integer(type.dtype):
        raise DTypeError(
            f"polygamma: n has type {type}, but orders of derivatives are integers",
            fix="pass an integer, or `n.astype(int)`",
        )
    return ops.polygamma(*real_operands("polygamma", n, x))


@composed
def zeta(x: ArrayLike, q: ArrayLike | None = None) -> Array:
    """Return the Hurwitz zeta function: the sum of `(q + k) ** -x` over whole `k >= 0`, for `x >= 1`; NaN below.

    For negative `q` there is a value for whole `x` only. Exact to 12 units in the last place for positive `q`.

    Raises:
        UnsupportedError: `q` is left out: the Riemann zeta function is not supported.

    Example:
        >>> print(f"{float(zeta(2.0, 1.0)):.4f}")
        1.6449
    """
    if q is None:
        raise UnsupportedError(
            "zeta: the Riemann zeta function of one argument is not supported",
            fix="for x > 1 it is `zeta(x, 1)`",
        )
    return ops.zeta(*real_operands("zeta", x, q))


_MOST_BERNOULLI: Final = 10_000


@composed
def bernoulli(n: int) -> Array:
    """Return the Bernoulli numbers 0 to `n`; the first one is -1/2.

    Example:
        >>> print(bernoulli(2).round(4))
        [ 1.     -0.5     0.1667]
    """
    n = integer("bernoulli", "n", n)
    if not 0 <= n <= _MOST_BERNOULLI:
        raise refused("bernoulli", "n", f"0 to {_MOST_BERNOULLI}", n)
    numbers = np.zeros(n + 1)
    numbers[:2] = np.array([1.0, -0.5])[: n + 1]
    # B_k = 2 (-1)^(k/2 + 1) k! / (2 pi)^k zeta(k) for even k
    factor = -2.0
    for k in range(2, n + 1, 2):
        factor *= -(k - 1) * k / (2 * np.pi) ** 2
        powers = {2: np.pi**2 / 6, 4: np.pi**4 / 90}.get(k, np.sum(np.arange(1.0, 2000.0) ** -k))
        numbers[k] = factor * powers
    return array(numbers, dtype=float)

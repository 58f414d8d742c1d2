"""The beta function, and what is counted by it, where the gammas that make them up are far larger than they are."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.errors import flags
from treadle_numpy.numpy.ufuncs.exponentials import log
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.real import real_operands
from treadle_numpy.operands.scalars import number, zero_like
from treadle_numpy.scipy.special.gammas import gammasgn
from treadle_numpy.scipy.special.stirling import FAR, stirling_series

__all__ = ["beta", "betaln", "comb", "poch"]

_SINGLE: Final = BY_NAME["f32"]


@composed
def betaln(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the logarithm of the absolute value of the beta function: `gammaln(a) + gammaln(b) - gammaln(a + b)`.

    Where an argument is 8 or more the logarithms of gammas are series, of which the parts that cancel are left out:
    positive arguments give it to 12 units in the last place in single precision, to 25 in double precision, of the
    result or of 1 where that is more.

    Raises:
        DTypeError: an argument is complex.

    Source: A. DiDonato, A. Morris, "Algorithm 708: significant digit computation of the incomplete beta function
        ratios", ACM Transactions on Mathematical Software 18 (1992).

    Example:
        >>> print(f"{float(betaln(2.0, 3.0)):.4f} {float(betaln(2.0, 1e8)):.4f}")
        -2.4849 -36.8414
    """
    x, y = real_operands("betaln", a, b)
    dtype = x.dtype
    if dtype.itemsize < _SINGLE.itemsize:
        return array_of(converted(betaln(converted(x, _SINGLE), converted(y, _SINGLE)), dtype))
    ordered = ops.compare(x, y, direction="le")
    small, large = ops.select(ordered, x, y), ops.select(ordered, y, x)
    apart = _apart(large, small)
    value = ops.add(ops.lgamma(small), apart.value)
    # all three by the series
    far = number(FAR, x)
    both_far = ops.compare(small, far, direction="ge")
    first, second = ops.select(both_far, small, far), apart.start
    half, constant = number(0.5, x), number(0.5 * math.log(2 * math.pi), x)
    rest = ops.add(apart.rest, stirling_series(ops.divide(number(1, x), first)))
    rest = ops.add(rest, ops.subtract(constant, ops.multiply(half, apart.log_start)))
    main = ops.subtract(
        ops.multiply(ops.subtract(first, half), ops.log(ops.divide(first, apart.end))),
        ops.multiply(second, apart.log_growth),
    )
    return ops.select(both_far, ops.add(main, rest), value)


class _Apart(NamedTuple):
    """What `_apart` finds, and of what: numbers of 8 and more stand where the series is not taken."""

    value: Array
    start: Array
    end: Array
    log_start: Array
    log_growth: Array  # the logarithm of end / start
    rest: Array  # what the series of the two differ by


def _apart(start: Operand, step: Operand) -> _Apart:
    """Compute `lgamma(start) - lgamma(start + step)`, by Stirling's series where both are 8 or more."""
    end = ops.add(start, step)
    far, one, half = number(FAR, start), number(1, start), number(0.5, start)
    both_far = ops.and_(
        ops.compare(start, far, direction="ge"), ops.compare(end, far, direction="ge")
    )
    near = ops.subtract(ops.lgamma(start), ops.lgamma(end))
    # where the series is not taken, its derivative is to be finite
    begin, by = ops.select(both_far, start, far), ops.select(both_far, step, one)
    end = ops.add(begin, by)
    log_start, log_growth = ops.log(begin), ops.log_plus_one(ops.divide(by, begin))
    rest = ops.subtract(
        stirling_series(ops.divide(one, begin)), stirling_series(ops.divide(one, end))
    )
    main = ops.subtract(
        ops.multiply(by, ops.subtract(one, log_start)),
        ops.multiply(ops.subtract(end, half), log_growth),
    )
    value = ops.select(both_far, ops.add(main, rest), near)
    return _Apart(value, begin, end, log_start, log_growth, array_of(rest))


def lgamma_step(start: Operand, step: Operand) -> Array:
    """Compute `lgamma(start + step) - lgamma(start)`, also where these are far larger than their difference."""
    return ops.negate(_apart(start, step).value)


@composed
def beta(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the beta function, `gamma(a) * gamma(b) / gamma(a + b)`, with its sign for negative arguments.

    Raises:
        DTypeError: an argument is complex.

    Example:
        >>> print(f"{float(beta(2.0, 3.0)):.4f}")
        0.0833
    """
    x, y = real_operands("beta", a, b)
    sign = ops.multiply(ops.multiply(gammasgn(x), gammasgn(y)), gammasgn(ops.add(x, y)))
    return ops.multiply(sign, ops.exponential(betaln(x, y)))


@composed
def poch(z: ArrayLike, m: ArrayLike) -> Array:
    """Return the rising factorial, `gamma(z + m) / gamma(z)`: 1 for `m` = 0.

    Example:
        >>> print(f"{float(poch(2.0, 3.0)):.3f}")
        24.000
    """
    x, y = real_operands("poch", z, m)
    end = ops.add(x, y)
    # Only where it is a quotient of infinities: elsewhere there is a slope by m, which is digamma(z) at 0.
    pole = ops.and_(
        ops.compare(x, ops.floor(x), direction="eq"),
        ops.compare(x, zero_like(x), direction="le"),
    )
    unknown = ops.or_(pole, ops.not_(ops.is_finite(x)))
    empty = ops.and_(unknown, ops.compare(y, zero_like(y), direction="eq"))
    sign = ops.multiply(gammasgn(end), gammasgn(x))
    value = ops.multiply(sign, ops.exponential(lgamma_step(x, y)))
    return ops.select(empty, number(1, x), value)


@composed
def comb(N: ArrayLike, k: ArrayLike, *, repetition: bool = False) -> Array:  # noqa: N803
    """Return the number of ways to choose `k` of `N` things, with `repetition` to choose one several times.

    Numbers that are not whole are taken as in `gamma`. 0 where `k` is negative or greater than `N`.

    Example:
        >>> print(f"{float(comb(5, 2)):.3f}")
        10.000
    """
    flags("comb", repetition=repetition)
    n, chosen = real_operands("comb", N, k)
    one, zero = number(1, n), zero_like(n)
    if repetition:
        n = ops.subtract(ops.add(n, chosen), one)
    rest = ops.subtract(n, chosen)
    possible = ops.and_(
        ops.compare(chosen, zero, direction="ge"), ops.compare(rest, zero, direction="ge")
    )
    possible = ops.and_(possible, ops.compare(n, zero, direction="ge"))
    n, chosen = [ops.select(possible, x, zero) for x in (n, chosen)]
    return ops.select(possible, ops.exponential(log_of_choices(n, chosen)), zero)


def log_of_choices(n: Array, chosen: Array) -> Array:
    """The logarithm of the number of ways to choose so many of `n` things: `-log((n + 1) beta(n - k + 1, k + 1))`."""
    return -log(n + 1) - betaln(n - chosen + 1, chosen + 1)

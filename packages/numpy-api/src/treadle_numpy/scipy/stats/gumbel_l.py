"""The left-skewed Gumbel distribution, of minima."""

# This module is a public namespace.
from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from treadle_autodiff import custom_jvp
from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.ufuncs.exponentials import exp, expm1, log, log1p
from treadle_numpy.numpy.ufuncs.extremes import minimum
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.stats.arguments import less_exponential, located, log1mexp_of_exp, placed

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


@partial(custom_jvp, pure=True)
def _quantile(q: Array) -> Array:
    return log(-log1p(-q))


@_quantile.defjvp
def _quantile_jvp(primals: Sequence[Array], tangents: Sequence[Array]) -> tuple[Array, Array]:
    # The reciprocal of the density, which vanishes at both ends: with a finite logarithm, and a zero of no sign.
    (q,), (dq,) = primals, tangents
    below = minimum(q, 1 - float(finfo(q.dtype).epsneg))
    return _quantile(q), dq / (0 - (1 - q) * log1p(-below))


@composed
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 1.0, 2.0)):.4f}")
        0.7231
    """
    z, scale = located("gumbel_l.cdf", x, loc, scale)
    return -expm1(-exp(z))


@composed
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(1.5, 1.0, 2.0)):.4f}")
        -0.3242
    """
    z, scale = located("gumbel_l.logcdf", x, loc, scale)
    return log1mexp_of_exp(z)


@composed
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 1.0, 2.0)):.4f}")
        -1.7272
    """
    z, scale = located("gumbel_l.logpdf", x, loc, scale)
    return less_exponential(z) - log(scale)


@composed
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(1.5, 1.0, 2.0)):.4f}")
        -1.2840
    """
    z, scale = located("gumbel_l.logsf", x, loc, scale)
    return -exp(z)


@composed
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 1.0, 2.0)):.4f}")
        0.1778
    """
    return exp(logpdf(x, loc, scale))


@composed
def ppf(p: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.3, 1.0, 2.0)):.4f}")
        -1.0619
    """
    return placed("gumbel_l.ppf", p, loc, scale, _quantile)


@composed
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(1.5, 1.0, 2.0)):.4f}")
        0.2769
    """
    z, scale = located("gumbel_l.sf", x, loc, scale)
    return exp(-exp(z))

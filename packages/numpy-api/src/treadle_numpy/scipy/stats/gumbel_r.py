"""The right-skewed Gumbel distribution, of maxima."""

# This module is a public namespace.
from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from treadle_autodiff import custom_jvp
from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.ufuncs.exponentials import exp, expm1, log
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.stats.arguments import less_exponential, located, log1mexp_of_exp, placed

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


@partial(custom_jvp, pure=True)
def _quantile(q: Array) -> Array:
    return -log(-log(q))


@_quantile.defjvp
def _quantile_jvp(primals: Sequence[Array], tangents: Sequence[Array]) -> tuple[Array, Array]:
    # The reciprocal of the density, which vanishes at both ends: with a finite logarithm, and a zero of no sign.
    (q,), (dq,) = primals, tangents
    return _quantile(q), dq / (0 - q * log(maximum(q, float(finfo(q.dtype).tiny))))


@composed
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 1.0, 2.0)):.4f}")
        0.4590
    """
    z, scale = located("gumbel_r.cdf", x, loc, scale)
    return exp(-exp(-z))


@composed
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(1.5, 1.0, 2.0)):.4f}")
        -0.7788
    """
    z, scale = located("gumbel_r.logcdf", x, loc, scale)
    return -exp(-z)


@composed
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 1.0, 2.0)):.4f}")
        -1.7219
    """
    z, scale = located("gumbel_r.logpdf", x, loc, scale)
    return less_exponential(-z) - log(scale)


@composed
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(1.5, 1.0, 2.0)):.4f}")
        -0.6143
    """
    z, scale = located("gumbel_r.logsf", x, loc, scale)
    return log1mexp_of_exp(-z)


@composed
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 1.0, 2.0)):.4f}")
        0.1787
    """
    return exp(logpdf(x, loc, scale))


@composed
def ppf(p: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.3, 1.0, 2.0)):.4f}")
        0.6287
    """
    return placed("gumbel_r.ppf", p, loc, scale, _quantile)


@composed
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(1.5, 1.0, 2.0)):.4f}")
        0.5410
    """
    z, scale = located("gumbel_r.sf", x, loc, scale)
    return -expm1(-exp(-z))

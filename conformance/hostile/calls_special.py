"""Calls of special functions and of statistics."""

from __future__ import annotations

import importlib
from typing import Any, Final

import treadle.scipy.stats

TABLE: Final = """
tnp: i0 (x)
special: bernoulli (3)
special: bessel_jn (v, v=2)
special: betainc (x, y, x)
special: boxcox boxcox1p comb gammainc gammaincc owens_t poch zeta (x, y)
special: dawsn erfcinv erfcx exp1 expi fresnel i0 i0e i1 i1e log_ndtr sici spence wofz (x)
special: expn polygamma (i, v)
special: hyp1f1 (x, y, x)
special: hyp2f1 (x, y, y, x)
special: sph_harm_y (n, n, s, s, n_max=2)
lax: bessel_i0e bessel_i1e (x)
lax: betainc (x, y, x)
lax: igamma igamma_grad_a igammac polygamma random_gamma_grad zeta (x, y)
stats: ModeResult (i, i)
stats: gaussian_kde (v)
stats: mode rankdata sem (x)
stats.bernoulli: cdf logpmf pmf ppf (b, s)
stats.beta: cdf logcdf logpdf logsf pdf sf (x, y, y)
stats.betabinom: logpmf pmf (i, w, w, w)
stats.binom: logpmf pmf (i, w, s)
stats.cauchy: cdf isf logcdf logpdf logsf pdf ppf sf (x)
stats.chi2: cdf logcdf logpdf logsf pdf sf (x, y)
stats.dirichlet: logpdf pdf (v, w)
stats.expon: cdf logcdf logpdf logsf pdf ppf sf (x)
stats.gamma: cdf logcdf logpdf logsf pdf sf (x, y)
stats.gennorm: cdf logpdf pdf (x, y)
stats.geom: logpmf pmf (i, s)
stats.gumbel_l: cdf logcdf logpdf logsf pdf ppf sf (x)
stats.gumbel_r: cdf logcdf logpdf logsf pdf ppf sf (x)
stats.laplace: cdf logpdf pdf (x)
stats.logistic: cdf isf logpdf pdf ppf sf (x)
stats.multinomial: logpmf pmf (i, 3, v)
stats.multivariate_normal: logpdf pdf (v, v, square)
stats.nbinom: logpmf pmf (i, w, s)
stats.norm: cdf isf logcdf logpdf logsf pdf ppf sf (x)
stats.pareto: cdf logcdf logpdf logsf pdf ppf sf (x, y)
stats.poisson: cdf logpmf pmf (i, w)
stats.poisson: entropy (w)
stats.t: logpdf pdf (x, y)
stats.truncnorm: cdf logcdf logpdf logsf pdf sf (x, x, y)
stats.uniform: cdf logpdf pdf ppf (x)
stats.vonmises: logpdf pdf (x, y)
stats.wrapcauchy: logpdf pdf (x, s)
"""

_DISTRIBUTIONS: Final = [
    line.split(":")[0] for line in TABLE.splitlines() if line.startswith("stats.")
]
NAMESPACES: Final[dict[str, Any]] = {
    "stats": treadle.scipy.stats,
    **{name: importlib.import_module(f"treadle.scipy.{name}") for name in _DISTRIBUTIONS},
}

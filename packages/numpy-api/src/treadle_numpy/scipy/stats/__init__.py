"""Statistics: distributions, one module each, and functions of samples.

Outside of the support a density is 0 and its logarithm minus infinity. Gradients there, and by parameters at the border
of it, are finite wherever the density is smooth.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.stats import (
        bernoulli as bernoulli,
        beta as beta,
        betabinom as betabinom,
        binom as binom,
        cauchy as cauchy,
        chi2 as chi2,
        dirichlet as dirichlet,
        expon as expon,
        gamma as gamma,
        gennorm as gennorm,
        geom as geom,
        gumbel_l as gumbel_l,
        gumbel_r as gumbel_r,
        laplace as laplace,
        logistic as logistic,
        multinomial as multinomial,
        multivariate_normal as multivariate_normal,
        nbinom as nbinom,
        norm as norm,
        pareto as pareto,
        poisson as poisson,
        t as t,
        truncnorm as truncnorm,
        uniform as uniform,
        vonmises as vonmises,
        wrapcauchy as wrapcauchy,
    )
    from treadle_numpy.scipy.stats.kernel_density import gaussian_kde as gaussian_kde
    from treadle_numpy.scipy.stats.samples import (
        ModeResult as ModeResult,
        mode as mode,
        rankdata as rankdata,
        sem as sem,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "kernel_density": "gaussian_kde",
            "samples": "ModeResult mode rankdata sem",
        },
        (
            "bernoulli",
            "beta",
            "betabinom",
            "binom",
            "cauchy",
            "chi2",
            "dirichlet",
            "expon",
            "gamma",
            "gennorm",
            "geom",
            "gumbel_l",
            "gumbel_r",
            "laplace",
            "logistic",
            "multinomial",
            "multivariate_normal",
            "nbinom",
            "norm",
            "pareto",
            "poisson",
            "t",
            "truncnorm",
            "uniform",
            "vonmises",
            "wrapcauchy",
        ),
    )

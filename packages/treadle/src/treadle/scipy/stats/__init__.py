"""Statistics: distributions, one module each, and functions of samples.

Outside of the support a density is 0 and its logarithm minus infinity. Gradients there, and by parameters at the border
of it, are finite wherever the density is smooth.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.stats import *  # noqa: F403 - all its names
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(
        __name__,
        "treadle_numpy.scipy.stats",
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

"""Random numbers from keys: the same key gives the same numbers, eagerly, staged and compiled.

Keys are values (`keys.py`), bits come from the threefry2x32 cipher (`generator.py`), and distributions are computed
from bits by the algorithms that JAX documents, so that experiments can be reproduced bit for bit.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.random.distributions.continuous import (
        cauchy as cauchy,
        exponential as exponential,
        gumbel as gumbel,
        laplace as laplace,
        logistic as logistic,
        pareto as pareto,
        rayleigh as rayleigh,
        triangular as triangular,
        weibull_min as weibull_min,
    )
    from treadle_numpy.random.distributions.counts import binomial as binomial, poisson as poisson
    from treadle_numpy.random.distributions.discrete import (
        bernoulli as bernoulli,
        geometric as geometric,
        rademacher as rademacher,
        randint as randint,
    )
    from treadle_numpy.random.distributions.gammas import gamma as gamma, loggamma as loggamma
    from treadle_numpy.random.distributions.matrices import (
        multivariate_normal as multivariate_normal,
        orthogonal as orthogonal,
    )
    from treadle_numpy.random.distributions.normal import (
        double_sided_maxwell as double_sided_maxwell,
        lognormal as lognormal,
        maxwell as maxwell,
        normal as normal,
        truncated_normal as truncated_normal,
        wald as wald,
    )
    from treadle_numpy.random.distributions.of_gammas import (
        beta as beta,
        chisquare as chisquare,
        dirichlet as dirichlet,
        f as f,
        generalized_normal as generalized_normal,
        t as t,
    )
    from treadle_numpy.random.distributions.selection import (
        categorical as categorical,
        choice as choice,
        permutation as permutation,
    )
    from treadle_numpy.random.distributions.uniform import uniform as uniform
    from treadle_numpy.random.distributions.vectors import ball as ball, multinomial as multinomial
    from treadle_numpy.random.generator import bits as bits
    from treadle_numpy.random.keys import (
        Key as Key,
        PRNGKey as PRNGKey,
        clone as clone,
        fold_in as fold_in,
        key as key,
        key_data as key_data,
        key_dtype as key_dtype,
        key_impl as key_impl,
        split as split,
        wrap_key_data as wrap_key_data,
    )
    from treadle_numpy.random.views import random_gamma_p as random_gamma_p
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "distributions.continuous": (
                "cauchy exponential gumbel laplace logistic pareto rayleigh triangular weibull_min"
            ),
            "distributions.counts": "binomial poisson",
            "distributions.discrete": "bernoulli geometric rademacher randint",
            "distributions.gammas": "gamma loggamma",
            "distributions.matrices": "multivariate_normal orthogonal",
            "distributions.normal": (
                "double_sided_maxwell lognormal maxwell normal truncated_normal wald"
            ),
            "distributions.of_gammas": "beta chisquare dirichlet f generalized_normal t",
            "distributions.selection": "categorical choice permutation",
            "distributions.uniform": "uniform",
            "distributions.vectors": "ball multinomial",
            "generator": "bits",
            "keys": "Key PRNGKey clone fold_in key key_data key_dtype key_impl split wrap_key_data",
            "views": "random_gamma_p",
        },
    )

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
    from treadle_numpy.random.distributions.discrete import (
        bernoulli as bernoulli,
        geometric as geometric,
        rademacher as rademacher,
        randint as randint,
    )
    from treadle_numpy.random.distributions.normal import (
        lognormal as lognormal,
        maxwell as maxwell,
        normal as normal,
        truncated_normal as truncated_normal,
    )
    from treadle_numpy.random.distributions.selection import (
        categorical as categorical,
        choice as choice,
        permutation as permutation,
    )
    from treadle_numpy.random.distributions.uniform import uniform as uniform
    from treadle_numpy.random.generator import bits as bits
    from treadle_numpy.random.keys import (
        Key as Key,
        PRNGKey as PRNGKey,
        clone as clone,
        fold_in as fold_in,
        key as key,
        key_data as key_data,
        key_impl as key_impl,
        split as split,
        wrap_key_data as wrap_key_data,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "distributions.continuous": (
                "cauchy exponential gumbel laplace logistic pareto rayleigh triangular weibull_min"
            ),
            "distributions.discrete": "bernoulli geometric rademacher randint",
            "distributions.normal": "lognormal maxwell normal truncated_normal",
            "distributions.selection": "categorical choice permutation",
            "distributions.uniform": "uniform",
            "generator": "bits",
            "keys": "Key PRNGKey clone fold_in key key_data key_impl split wrap_key_data",
        },
    )

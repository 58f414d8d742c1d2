"""Random numbers from keys: the same key gives the same numbers, eagerly, staged and compiled.

Keys are values (`keys.py`), bits come from the threefry2x32 cipher (`bits.py`), and distributions are computed
from bits by the algorithms that JAX documents, so that experiments can be reproduced bit for bit.
"""

from __future__ import annotations

from treadle_numpy.random.bits import bits as bits
from treadle_numpy.random.distributions import (
    bernoulli as bernoulli,
    categorical as categorical,
    cauchy as cauchy,
    choice as choice,
    exponential as exponential,
    geometric as geometric,
    gumbel as gumbel,
    laplace as laplace,
    logistic as logistic,
    lognormal as lognormal,
    maxwell as maxwell,
    normal as normal,
    pareto as pareto,
    permutation as permutation,
    rademacher as rademacher,
    randint as randint,
    rayleigh as rayleigh,
    triangular as triangular,
    truncated_normal as truncated_normal,
    uniform as uniform,
    weibull_min as weibull_min,
)
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

"""The multinomial distribution: how often each outcome is met in `n` trials."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_integer
from treadle_numpy.numpy.reductions.logical import all
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.scipy.special.exponents import xlogy
from treadle_numpy.scipy.special.gammas import gammaln
from treadle_numpy.scipy.stats.arguments import whole

__all__ = ["logpmf", "pmf"]


@composed
def logpmf(x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Array:
    """Return the logarithm of the probability of counts `x`, which add up to `n` along the last axis, else minus
    infinity.

    Shapes:
        x: [*shape, k]
        n: [*shape]
        p: [*shape, k]
        result: [*shape]

    Example:
        >>> import numpy as np
        >>> print(f"{float(logpmf(np.array([1, 2, 3]), 6, np.array([0.2, 0.3, 0.5]))):.4f}")
        -2.0025
    """
    name = "multinomial.logpmf"
    (chances,) = promote(name, p, inexact=True)
    # Counts are integers, and not a mixture with the probabilities that `numpy_dtype_promotion` forbids.
    whole_numbers = [coerce(name, i, v) for i, v in enumerate((x, n))]
    given = [converted(v, chances.dtype) if is_integer(v.dtype) else v for v in whole_numbers]
    promoted = promote(name, *given, chances)
    counts, trials, probabilities = [array_of(v) for v in promoted]
    possible = all(whole(counts) & (counts >= 0), axis=-1) & (sum(counts, axis=-1) == trials)
    safe = where(possible[..., None], counts, 0)
    terms = xlogy(safe, probabilities) - gammaln(safe + 1)
    value = gammaln(where(possible, trials, 0) + 1) + sum(terms, axis=-1)
    return where(possible, value, -np.inf)


@composed
def pmf(x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Array:
    """Return the probability; see `logpmf`.

    Example:
        >>> import numpy as np
        >>> print(f"{float(pmf(np.array([1, 2, 3]), 6, np.array([0.2, 0.3, 0.5]))):.4f}")
        0.1350
    """
    return exp(logpmf(x, n, p))

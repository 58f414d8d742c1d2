"""Series of a few elements as matrices, elements by terms: incomplete gamma and beta functions in some calls of NumPy.

All terms of the series here are positive, so that nothing cancels. They serve types of 32 bits and less: float64 has
29 bits more to lose in what the terms are multiplied with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from treadle_ir.primitive import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.few_hypergeometric import hyp1f1, hyp2f1, within
from treadle_ir.reference.few_vectors import ONE
from treadle_ir.reference.registry import Elements

Series = Callable[
    ..., "Elements | None"
]  # None where an element asks for more terms, or would lose digits

_TERMS: Final = np.arange(1.0, 49.0)
_LEFT: Final = np.array(
    1e-11
)  # of the sum, where the series is cut: far below the rounding of float32
_HALF: Final = np.array(0.5)
_FOUR: Final = np.array(4.0)
_ONES: Final = np.ones(_TERMS.size)
# Of the asymptotic series of digamma, as far as it counts behind the terms: 1 / 252 / 49^6 is 3e-13.
_BEHIND: Final = _TERMS[-1:].reshape(()) + 1.0
_TWELFTH: Final = np.array(1 / 12)
_NEXT: Final = np.array(1 / 120)
_LEAST_REST: Final = np.array(1e-5)


def _have_ended(terms: Elements, total: Elements) -> bool:
    """Whether what follows the last terms does not count."""
    left: Elements = terms[:, -1] - _LEFT * total
    return bool(left[left.argmax()] < 0.0)


def _chosen(condition: Elements, x: Elements, y: Elements) -> Elements:
    """What `np.where` gives for vectors, in two thirds of its time."""
    result = y.copy()
    np.putmask(result, condition, x)
    return result


def _lower(a: Elements, x: Elements) -> tuple[Elements, Elements, Elements, Elements] | None:
    """What the series of igamma is multiplied with, the factors, the terms after 1 and their sum with it.

    Source: DLMF 8.11.4.
    """
    if not within(a, 1e-4, 1e3) or not within(x, 1e-30, 1e4):
        return None
    inverses = ONE / (a[:, None] + _TERMS)
    terms = np.multiply.accumulate(inverses * x[:, None], axis=1)
    total = terms.dot(_ONES)
    total += ONE
    if not _have_ended(terms, total):
        return None
    gammas = np.array([*map(math.lgamma, (a + ONE).tolist())])
    density = np.exp(a * np.log(x) - x - gammas)
    return density, inverses, terms, total


def igamma(a: Elements, x: Elements) -> Elements | None:
    """The lower incomplete gamma function over Gamma(a)."""
    parts = _lower(a, x)
    return None if parts is None else parts[0] * parts[3]


def igammac(a: Elements, x: Elements) -> Elements | None:
    """The upper one, which is no small number for x < 4."""
    parts = _lower(a, x) if within(x, 0.0, 4.0) else None
    return None if parts is None else ONE - parts[0] * parts[3]


def igamma_grad_a(a: Elements, x: Elements) -> Elements | None:
    """The derivative of igamma by a, term by term; that of 1 / (a + 1) / ... / (a + n) is -sum 1 / (a + k) times it.

    The same inverses are what digamma(a + 1) lacks of its asymptotic series far behind (Abramowitz and Stegun, 6.3.6
    and 6.3.18).
    """
    far = np.count_nonzero(x >= np.maximum(a, _FOUR))
    parts = None if far else _lower(a, x)
    if parts is None:
        return None
    density, inverses, terms, total = parts
    terms *= np.add.accumulate(inverses, axis=1)
    slope: Elements = terms.dot(_ONES)
    behind = a + _BEHIND
    inverse = ONE / behind
    digamma = np.log(behind) - inverse * (_HALF + inverse * (_TWELFTH - inverse * inverse * _NEXT))
    digamma -= inverses.dot(_ONES)
    result: Elements = density * ((np.log(x) - digamma) * total - slope)
    return result


def betainc(a: Elements, b: Elements, x: Elements) -> Elements | None:
    """The regularised incomplete beta function, from the side where x < 1/2.

    Source: DLMF 8.17.8 and 8.17.4.
    """
    if not (within(a, 1e-3, 100.0) and within(b, 1e-3, 100.0) and within(x, 1e-30, 1.0)):
        return None
    high = x > _HALF
    p, q, y = _chosen(high, b, a), _chosen(high, a, b), _chosen(high, ONE - x, x)
    if not within(y, 1e-30, 0.5):
        return None
    both = p + q
    factors = np.add.outer(both - ONE, _TERMS) / np.add.outer(p, _TERMS) * y[:, None]
    terms = np.multiply.accumulate(factors, axis=1)
    total = ONE + np.add.reduce(terms, axis=1)
    of_gamma = math.lgamma
    gammas = np.array(
        [
            of_gamma(s) - of_gamma(t + 1.0) - of_gamma(u)
            for s, t, u in zip(both.tolist(), p.tolist(), q.tolist(), strict=True)
        ]
    )
    part = np.exp(p * np.log(y) + q * np.log1p(-y) + gammas) * total
    rest = ONE - part
    if not _have_ended(terms, total) or np.count_nonzero((rest <= _LEAST_REST) & high):
        return None
    return _chosen(high, rest, part)


SERIES: Final[Mapping[type[Primitive], Series]] = {
    e.Hyp1f1: hyp1f1,
    e.Hyp2f1: hyp2f1,
    e.Igamma: igamma,
    e.IgammaGradA: igamma_grad_a,
    e.Igammac: igammac,
    e.RegularizedIncompleteBeta: betainc,
}

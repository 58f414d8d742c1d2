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
from treadle_ir.reference.few import digamma
from treadle_ir.reference.few_hypergeometric import hyp1f1, hyp2f1
from treadle_ir.reference.registry import Elements

Series = Callable[
    ..., "Elements | None"
]  # None where an element asks for more terms, or would lose digits

_TERMS: Final = np.arange(1.0, 49.0)
_LEFT: Final = 1e-11  # of the sum, where the series is cut: far below the rounding of float32


def _within(x: Elements, least: float, greatest: float) -> bool:
    """Whether there are elements, and all are; NaNs are not."""
    return bool(x.size and np.minimum.reduce(x) >= least and np.maximum.reduce(x) <= greatest)


def _each(function: Callable[[float], float], x: Elements) -> Elements:
    return np.array(list(map(function, x.tolist())))


def _lower(a: Elements, x: Elements) -> tuple[Elements, Elements, Elements, Elements] | None:
    """What the series of igamma is multiplied with, the factors, the terms after 1 and their sum with it.

    Source: DLMF 8.11.4.
    """
    if not _within(a, 1e-4, 1e3) or not _within(x, 1e-30, 1e4):
        return None
    inverses = 1.0 / np.add.outer(a, _TERMS)
    terms = np.multiply.accumulate(inverses * x[:, None], axis=1)
    total = 1.0 + np.add.reduce(terms, axis=1)
    if not (terms[:, -1] < _LEFT * total).all():
        return None
    density = np.exp(a * np.log(x) - x - _each(math.lgamma, a + 1.0))
    return density, inverses, terms, total


def igamma(a: Elements, x: Elements) -> Elements | None:
    """The lower incomplete gamma function over Gamma(a)."""
    parts = _lower(a, x)
    return None if parts is None else parts[0] * parts[3]


def igammac(a: Elements, x: Elements) -> Elements | None:
    """The upper one, which is no small number for x < 4."""
    parts = _lower(a, x) if _within(x, 0.0, 4.0) else None
    return None if parts is None else 1.0 - parts[0] * parts[3]


def igamma_grad_a(a: Elements, x: Elements) -> Elements | None:
    """The derivative of igamma by a, term by term; that of 1 / (a + 1) / ... / (a + n) is -sum 1 / (a + k) times it."""
    parts = _lower(a, x) if ((x < 4.0) | (x < a)).all() else None
    if parts is None:
        return None
    density, inverses, terms, total = parts
    slope: Elements = np.add.reduce(terms * np.add.accumulate(inverses, axis=1), axis=1)
    result: Elements = density * ((np.log(x) - _each(digamma, a + 1.0)) * total - slope)
    return result


def betainc(a: Elements, b: Elements, x: Elements) -> Elements | None:
    """The regularised incomplete beta function, from the side where x < 1/2.

    Source: DLMF 8.17.8 and 8.17.4.
    """
    inside = (
        x.size and _within(a, 1e-3, 100.0) and _within(b, 1e-3, 100.0) and _within(x, 1e-30, 1.0)
    )
    if not inside:
        return None
    high = x > 0.5
    p, q, y = np.where(high, b, a), np.where(high, a, b), np.where(high, 1.0 - x, x)
    if not _within(y, 1e-30, 0.5):
        return None
    both = p + q
    factors = np.add.outer(both - 1.0, _TERMS) / np.add.outer(p, _TERMS) * y[:, None]
    terms = np.multiply.accumulate(factors, axis=1)
    total = 1.0 + np.add.reduce(terms, axis=1)
    gammas = _each(math.lgamma, both) - _each(math.lgamma, p + 1.0) - _each(math.lgamma, q)
    part = np.exp(p * np.log(y) + q * np.log1p(-y) + gammas) * total
    rest = 1.0 - part
    if not ((terms[:, -1] < _LEFT * total) & (~high | (rest > 1e-5))).all():
        return None
    result: Elements = np.where(high, rest, part)
    return result


SERIES: Final[Mapping[type[Primitive], Series]] = {
    e.Hyp1f1: hyp1f1,
    e.Hyp2f1: hyp2f1,
    e.Igamma: igamma,
    e.IgammaGradA: igamma_grad_a,
    e.Igammac: igammac,
    e.RegularizedIncompleteBeta: betainc,
}

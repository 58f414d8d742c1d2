"""Hypergeometric functions of a few elements: their series as matrices, elements by terms, where no term is negative.

Source: DLMF 13.2.2, 13.2.39, 15.2.1, 15.8.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from treadle_ir.reference.registry import Elements

_GREATEST: Final = 100.0  # parameter; terms are no longer positive, or grow too long, beyond these
_LEAST: Final = 1e-3
_LEFT: Final = 1e-11  # of the sum, where the series is cut: far below the rounding of float32


def within(x: Elements, least: float, greatest: float) -> bool:
    """Whether there are elements, and all are between two numbers; NaNs are not."""
    # A search takes a quarter of a reduction's time.
    return bool(x.size and x[x.argmin()] >= least and x[x.argmax()] <= greatest)


def _sum(ratio: Callable[[Elements], Elements], counts: Sequence[int]) -> Elements | None:
    """1 and the products of all ratios up to each: with as many as it takes, the fewest that are tried.

    What follows the last is a geometric series at most.
    """
    for count in counts:
        ratios = ratio(np.arange(float(count)))
        terms = np.multiply.accumulate(ratios, axis=1)
        total: Elements = 1.0 + np.add.reduce(terms, axis=1)
        last = ratios[:, -1]
        if (last < 1.0).all() and (terms[:, -1] * last < _LEFT * total * (1.0 - last)).all():
            return total
    return None


def hyp1f1(a: Elements, b: Elements, x: Elements) -> Elements | None:
    """M(a, b, x), which is exp(x) M(b - a, b, -x)."""
    if not within(x, -30.0, 30.0):
        return None
    turned = x < 0.0
    top, z = np.where(turned, b - a, a), np.abs(x)[:, None]
    if not within(top, 0.0, _GREATEST) or not within(b, _LEAST, _GREATEST):
        return None
    total = _sum(lambda k: np.add.outer(top, k) / (np.add.outer(b, k) * (k + 1.0)) * z, (48, 160))
    return None if total is None else total * np.exp(np.minimum(x, 0.0))


def hyp2f1(a: Elements, b: Elements, c: Elements, x: Elements) -> Elements | None:
    """F(a, b; c; x), which is (1 - x)^-a F(a, c - b; c; x / (x - 1))."""
    if not within(x, -30.0, 0.97):
        return None
    turned = x < 0.0
    second = np.where(turned, c - b, b)
    z = np.where(turned, x / (x - 1.0), x)[:, None]
    inside = (
        within(a, 0.0, _GREATEST)
        and within(second, 0.0, _GREATEST)
        and within(c, _LEAST, _GREATEST)
    )
    if not inside:
        return None

    def ratio(k: Elements) -> Elements:
        result: Elements = (
            np.add.outer(a, k) * np.add.outer(second, k) / (np.add.outer(c, k) * (k + 1.0)) * z
        )
        return result

    total = _sum(ratio, (48, 192, 1024))
    return None if total is None else total * np.where(turned, 1.0 - x, 1.0) ** -a

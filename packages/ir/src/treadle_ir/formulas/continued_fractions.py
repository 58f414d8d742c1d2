"""Continued fractions from their beginning, by Lentz's method.

Source: W. Lentz, Applied Optics 15 (1976).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from treadle_ir.formulas.arithmetic import Condition, Number, where
from treadle_ir.formulas.loops import loop, size

_TINY: Final = 1e-30


def continued_fraction(
    operands: Sequence[Number],
    first: Number,
    term: Callable[[Number], tuple[Number, Number]],
    most: int,
    *,
    positive: bool = False,
) -> Number:
    """Return `1 / (b_0 + a_1 / (b_1 + a_2 / (b_2 + ...)))`.

    Args:
        operands: the numbers that the terms depend on.
        first: b_0.
        term: returns a_k and b_k for k from 1.
        most: the greatest number of terms.
        positive: whether no denominator of a part can vanish; else those that do are replaced by a tiny number.
    """

    def nonzero(x: Number) -> Number:
        return x if positive else where(abs(x.plain) < _TINY, _TINY, x)

    def step(k: Number, state: Sequence[Number]) -> list[Number]:
        c, d, value, _ = state
        numerator, denominator = term(k)
        d = 1.0 / nonzero(numerator * d + denominator)
        c = nonzero(denominator + numerator / c)
        change = c * d
        return [c, d, value * change, change]

    def unfinished(state: Sequence[Number]) -> Condition:
        return size(state[3] - 1.0) > first.epsilon

    start = 1.0 / first
    return loop(
        operands, [first.full(1 / _TINY), start, start, first.full(0.0)], step, unfinished, most
    )[2]

"""Bounds of polynomials from constraints.

Sound, and deliberately not complete: intervals of variables and operations give a first bound, and each constraint
`c >= 0` that shares a term with a polynomial `e` gives another, since `e = q*c + (e - q*c)` for any `q >= 0`. This is
tried a few times over, as in Fourier-Motzkin elimination. Terms of higher degree count as variables of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Final, final

from treadle_ir.symbolic.polynomial import (
    Factor,
    Monomial,
    Number,
    Operation,
    Polynomial,
    common_factor,
    constant,
    divided_monomial,
)

Bound = Number | float  # a float is an infinity
Interval = tuple[Bound, Bound]

INFINITY: Final = math.inf
_EVERYTHING: Final[Interval] = (-INFINITY, INFINITY)
_ELIMINATIONS: Final = 4  # constraints used for one bound
_MOST_ASKED: Final = 4096  # bounds that a set of constraints remembers


@final
class Bounds:
    """What inequalities `c >= 0` say about polynomials; every variable is at least 1.

    Example:
        >>> from treadle_ir.symbolic.polynomial import Polynomial
        >>> n = Polynomial.variable("n")
        >>> Bounds([n - constant(8)]).of(n + n)
        (16, inf)
    """

    def __init__(self, inequalities: Iterable[Polynomial]) -> None:
        self._known: dict[Monomial, Interval] = {}  # what constraints say of one monomial
        self._constraints: list[Polynomial] = []
        self._asked: dict[Polynomial, Interval] = {}
        self._implied: dict[Operation, list[Polynomial]] = {}
        for each in inequalities:
            monomials = [item for item in each.terms if item[0]]
            if len(monomials) != 1:
                self._constraints.append(each)
                continue
            monomial, coefficient = monomials[0]
            edge = Fraction(-each.offset) / coefficient
            low, high = self._known.get(monomial, _EVERYTHING)
            self._known[monomial] = (
                (max(low, math.ceil(edge)), high)
                if coefficient > 0
                else (low, min(high, math.floor(edge)))
            )

    def of(self, polynomial: Polynomial) -> Interval:
        """Return the least and the greatest value that the polynomial can have; infinite where none is known."""
        found = self._asked.get(polynomial)
        if found is None:
            low = self._lower(polynomial, _ELIMINATIONS, {})
            high = -self._lower(polynomial.scaled(-1), _ELIMINATIONS, {})
            if all([isinstance(c, int) for _, c in polynomial.terms]):
                low = low if low == -INFINITY else math.ceil(low)
                high = high if high == INFINITY else math.floor(high)
            found = (low, high)
            if len(self._asked) >= _MOST_ASKED:
                self._asked.clear()
            self._asked[polynomial] = found
        return found

    def _lower(
        self, polynomial: Polynomial, eliminations: int, seen: dict[Polynomial, int]
    ) -> Bound:
        """Return a lower bound, by intervals and by so many constraints."""
        best = self._lower_by_intervals(polynomial)
        if eliminations == 0 or polynomial.constant is not None:
            return best
        if seen.get(polynomial, -1) >= eliminations:
            return best
        seen[polynomial] = eliminations
        for factor in polynomial.factors():
            if isinstance(factor, Operation) and factor.kind in ("max", "min"):  # is one or other
                cases = [
                    self._lower(_exchanged(polynomial, factor, each), eliminations - 1, seen)
                    for each in (factor.left, factor.right)
                ]
                best = max(best, min(cases))
        terms = dict(polynomial.terms)
        for constraint in self._relevant(polynomial):
            for monomial, coefficient in constraint.terms:
                own = terms.get(monomial)
                if monomial and own is not None and (own > 0) == (coefficient > 0):
                    rest = polynomial - constraint.scaled(Fraction(own) / coefficient)
                    best = max(best, self._lower(rest, eliminations - 1, seen))
        return best

    def _lower_by_intervals(self, polynomial: Polynomial) -> Bound:
        total: Bound = 0
        for monomial, coefficient in polynomial.terms:
            low, high = self._of_monomial(monomial)
            total += _times(coefficient, low if coefficient > 0 else high)
            if total == -INFINITY:
                break
        shared = common_factor(polynomial)
        if total < 0 and shared and len(polynomial.terms) > 1:  # b*c - b is b*(c - 1)
            low, _ = self._of_monomial(shared)
            rest = Polynomial({_without(m, shared): c for m, c in polynomial.terms})
            if low >= 0 and (other := self._lower_by_intervals(rest)) >= 0:
                return _times(low, other)
        return total

    def _interval(self, polynomial: Polynomial) -> Interval:
        """Return bounds of an operand by intervals alone, since constraints could lead back to the operation."""
        low = self._lower_by_intervals(polynomial)
        return low, -self._lower_by_intervals(polynomial.scaled(-1))

    def _of_monomial(self, monomial: Monomial) -> Interval:
        if len(monomial) == 1 and monomial[0][1] == 1:
            return self._of_factor(monomial[0][0])
        result: Interval = (1, 1)
        for factor, exponent in monomial:
            base = self._of_factor(factor)
            power: Interval = (1, 1)
            for _ in range(exponent):
                power = _product(power, base)
            if exponent % 2 == 0:
                power = (max(power[0], 0), power[1])
            result = _product(result, power)
        known = self._known.get(monomial, _EVERYTHING)
        return max(result[0], known[0]), min(result[1], known[1])

    def _of_factor(self, factor: Factor) -> Interval:
        if isinstance(factor, str):
            interval: Interval = (1, INFINITY)
        else:
            interval = _OPERATION[factor.kind](
                self._interval(factor.left), self._interval(factor.right)
            )
        known = self._known.get(((factor, 1),), _EVERYTHING)
        return max(interval[0], known[0]), min(interval[1], known[1])

    def _relevant(self, polynomial: Polynomial) -> list[Polynomial]:
        """Return the constraints, and what the polynomial's operations imply."""
        found = list(self._constraints)
        for factor in polynomial.factors():
            if isinstance(factor, Operation):
                if factor not in self._implied:
                    self._implied[factor] = self._implications(factor)
                found += self._implied[factor]
        return found

    def _implications(self, operation: Operation) -> list[Polynomial]:
        it, left, right = Polynomial.variable(operation), operation.left, operation.right
        if operation.kind == "max":
            return [it - left, it - right]
        if operation.kind == "min":
            return [left - it, right - it]
        if self._interval(right)[0] <= 0:
            return []
        if operation.kind == "floordiv":  # right*it <= left < right*(it + 1)
            return [left - right * it, right * it + right - constant(1) - left]
        return [right - constant(1) - it] + ([left - it] if self._interval(left)[0] >= 0 else [])


def _floordiv(left: Interval, right: Interval) -> Interval:
    if right[0] <= 0:
        return _EVERYTHING
    corners = [_divided(a, b) for a in left for b in right]
    return min(corners), max(corners)


def _divided(a: Bound, b: Bound) -> Bound:
    """Return the floor of `a / b`, for positive `b`."""
    if b == INFINITY:
        return a if abs(a) == INFINITY else (0 if a >= 0 else -1)
    return a if abs(a) == INFINITY else a // b


def _mod(left: Interval, right: Interval) -> Interval:
    if right[0] <= 0:
        return _EVERYTHING
    high = right[1] - 1
    return 0, (min(high, left[1]) if left[0] >= 0 else high)


def _max(left: Interval, right: Interval) -> Interval:
    return max(left[0], right[0]), max(left[1], right[1])


def _min(left: Interval, right: Interval) -> Interval:
    return min(left[0], right[0]), min(left[1], right[1])


_OPERATION: Final[dict[str, Callable[[Interval, Interval], Interval]]] = {
    "floordiv": _floordiv,
    "mod": _mod,
    "max": _max,
    "min": _min,
}


def _exchanged(polynomial: Polynomial, factor: Factor, value: Polynomial) -> Polynomial:
    """Return the polynomial with a factor's value for the factor."""
    total = Polynomial({})
    for monomial, coefficient in polynomial.terms:
        exponent = dict(monomial).get(factor, 0)
        rest = Polynomial({_without(monomial, ((factor, exponent),)): coefficient})
        total = total + rest * value.power(exponent)
    return total


def _without(monomial: Monomial, factors: Monomial) -> Monomial:
    rest = divided_monomial(monomial, factors)
    assert rest is not None  # the factors are common to all terms
    return rest


def _times(a: Bound, b: Bound) -> Bound:
    return 0 if a == 0 or b == 0 else a * b


def _product(left: Interval, right: Interval) -> Interval:
    corners = [_times(a, b) for a in left for b in right]
    return min(corners), max(corners)

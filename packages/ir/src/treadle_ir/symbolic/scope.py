"""Scopes: the constraints under which symbolic dimensions are compared and simplified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, final

from treadle_ir.errors.argument_checks import sequence, shown
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.symbolic.bounds import Bounds, Interval
from treadle_ir.symbolic.parsing import Reader
from treadle_ir.symbolic.polynomial import (
    Monomial,
    Number,
    Operation,
    Polynomial,
    divided_monomial,
    substituted,
)

_ROUNDS: Final = 16  # of rewriting by equalities


@final
class SymbolicScope:
    """Symbolic dimensions that may meet, and what is known of them besides that they are at least 1.

    Scopes are values: two with the same constraints are equal, and their dimensions can be mixed.

    Args:
        constraints_str: what holds between the dimensions, such as `"a >= b + 1"` or `"mod(b, 8) == 0"`, with
            `>=`, `<=` or `==`.

    Raises:
        ArgumentError: a constraint does not parse, or can never hold.

    Example:
        >>> scope = SymbolicScope(["b >= 8", "mod(c, 4) == 0"])
        >>> scope
        SymbolicScope(['b >= 8', 'mod(c, 4) == 0'])
    """

    __slots__ = ("_bounds", "_hash", "_rules", "constraints", "equalities", "inequalities")

    def __init__(self, constraints_str: Sequence[str] = ()) -> None:
        if isinstance(constraints_str, str):
            constraints_str = (constraints_str,)
        texts: list[str] = []
        self._rules: list[tuple[Monomial, Number, Polynomial]] = []
        self.equalities: list[Polynomial] = []
        self.inequalities: list[Polynomial] = []
        self._bounds = Bounds(())
        for text in sequence("SymbolicScope", "constraints", constraints_str):
            if not isinstance(text, str):
                raise ArgumentError(
                    f"SymbolicScope: each of constraints must be a string, got {shown(text)}"
                )
            left, relation, right = Reader(text, self, "constraint").constraint()
            texts.append(f"{left} {relation} {right}")
            difference = right - left if relation == "<=" else left - right
            if relation == "==":
                self._equal(left, right)
            else:
                self.inequalities.append(difference)
            self._bounds = Bounds([*self.inequalities, *self._both_ways()])
            low, high = self.bounds(difference)
            if high < 0 or (relation == "==" and low > 0):
                raise ArgumentError(
                    f"SymbolicScope: the constraint {text!r} can never hold"
                    + (f" together with {', '.join(texts[:-1])}" if texts[1:] else "")
                )
        self.constraints: tuple[str, ...] = tuple(dict.fromkeys(texts))
        self._hash = hash(self.constraints)

    def _both_ways(self) -> list[Polynomial]:
        return [each for e in self.equalities for each in (e, e.scaled(-1))]

    def _equal(self, left: Polynomial, right: Polynomial) -> None:
        """Rewrite the left side to the right one from now on, if it is one term; else keep the equality for bounds."""
        difference = left - right
        if not difference.terms:
            return
        self.equalities.append(difference)
        one = _monomial(left)
        if one is None:
            left, right = right, left
            one = _monomial(left)
        if one is None:
            return
        monomial, scale = one
        if any([divided_monomial(m, monomial) is not None for m, _ in right.terms]):
            return
        inside = {f for f, _ in monomial}
        if inside & {*right.variables(), *right.operations()}:
            return  # it would be rewritten for ever
        self._rules.append((monomial, scale, right))
        ((factor, exponent), *others) = monomial
        if (
            isinstance(factor, Operation)
            and factor.kind == "mod"
            and (scale, exponent, others) == (1, 1, [])
        ):
            # What is divided, less its remainder, is the divisor times the quotient.
            whole = self.operation("floordiv", factor.left, factor.right)
            self._equal(factor.right * whole, factor.left - right)

    # --- simplification ---

    def normal(self, polynomial: Polynomial) -> Polynomial:
        """Return the polynomial, rewritten by the equalities among the constraints."""
        if not self._rules:
            return polynomial
        for _ in range(_ROUNDS):
            before = polynomial
            for monomial, scale, value in self._rules:
                polynomial = _rewritten(polynomial, monomial, scale, value)
            if polynomial == before:
                break
        return polynomial

    def operation(self, kind: str, left: Polynomial, right: Polynomial) -> Polynomial:
        """Return `floordiv`, `mod`, `max` or `min`, simplified."""
        if kind == "floordiv":
            return self._floordiv(left, right)
        if kind == "mod":
            return self._mod(left, right)
        low, high = self.bounds(left - right)
        if low >= 0:
            return left if kind == "max" else right
        if high <= 0:
            return right if kind == "max" else left
        left, right = sorted((left, right), key=lambda each: (each.constant is not None, str(each)))
        return self.normal(Polynomial.variable(Operation(kind, left, right)))

    def _floordiv(self, left: Polynomial, right: Polynomial) -> Polynomial:
        if right.terms and right.terms[0][1] < 0:
            left, right = left.scaled(-1), right.scaled(-1)
        quotient, rest = left.divided(right)
        if not rest.terms or self._is_below(rest, right):
            return quotient
        return quotient + self.normal(Polynomial.variable(Operation("floordiv", rest, right)))

    def _mod(self, left: Polynomial, right: Polynomial) -> Polynomial:
        if right.terms and right.terms[0][1] < 0:
            return self._mod(left.scaled(-1), right.scaled(-1)).scaled(-1)
        _, rest = left.divided(right)
        if not rest.terms:
            return rest
        if self._is_below(rest, right):
            return rest
        return self.normal(Polynomial.variable(Operation("mod", rest, right)))

    def _is_below(self, rest: Polynomial, right: Polynomial) -> bool:
        """Return whether `0 <= rest < right`."""
        a, b = rest.constant, right.constant
        if a is not None and b is not None:
            return 0 <= a < b
        return self.bounds(rest)[0] >= 0 and self.bounds(right - rest)[0] > 0

    # --- decisions ---

    def bounds(self, polynomial: Polynomial) -> Interval:
        """Return the least and the greatest value under the constraints; infinite where none is known."""
        number = polynomial.constant
        return (number, number) if number is not None else self._bounds.of(polynomial)

    def broken(self, values: Mapping[str, Polynomial], target: SymbolicScope) -> str | None:
        """Return the first constraint that is not known to hold for sizes in another scope, or None.

        Constraints that name other sizes, too, are left out.
        """
        free = SymbolicScope()
        for text in self.constraints:
            left, relation, right = Reader(text, free, "constraint").constraint()
            difference = left - right
            if not difference.variables() <= values.keys():
                continue
            low, high = target.bounds(
                target.normal(substituted(difference, values, target.operation))
            )
            if (relation != "<=" and low < 0) or (relation != ">=" and high > 0):
                return text
        return None

    # --- as a value ---

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolicScope) and self.constraints == other.constraints

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"SymbolicScope({[*self.constraints]})"

    def __reduce__(self) -> tuple[Any, ...]:
        return SymbolicScope, (self.constraints,)


def _monomial(polynomial: Polynomial) -> tuple[Monomial, Number] | None:
    """Return the polynomial's one term, with a positive coefficient, if it is one."""
    if len(polynomial.terms) != 1:
        return None
    monomial, coefficient = polynomial.terms[0]
    return (monomial, coefficient) if monomial and coefficient > 0 else None


def _rewritten(
    polynomial: Polynomial, monomial: Monomial, scale: Number, value: Polynomial
) -> Polynomial:
    for own, coefficient in polynomial.terms:
        rest = divided_monomial(own, monomial)
        if rest is not None and coefficient % scale == 0:
            times = Polynomial({rest: _whole(Fraction(coefficient) / scale)})
            polynomial = polynomial - Polynomial({own: coefficient}) + times * value
    return polynomial


def _whole(number: Fraction) -> Number:
    return number.numerator if number.denominator == 1 else number

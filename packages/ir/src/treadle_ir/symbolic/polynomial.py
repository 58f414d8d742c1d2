"""Polynomials over named variables and over operations on polynomials, in a normal form.

They are values: equal polynomials have equal terms, and the same text. Coefficients are integers; only reasoning about
bounds makes fractions of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final, final

from treadle_ir.errors.kinds import UnsupportedError

Number = int | Fraction
OPERATIONS: Final = ("floordiv", "mod", "max", "min")
_DEEPEST: Final = 32  # of operations in operations: what is read or evaluated is as deep


@final
class Operation:
    """`floordiv`, `mod`, `max` or `min` of two polynomials: a factor that polynomials treat as a variable."""

    __slots__ = ("_hash", "depth", "kind", "left", "right", "text")
    depth: int

    def __init__(self, kind: str, left: Polynomial, right: Polynomial) -> None:
        self.kind = kind
        self.left = left
        self.right = right
        self.depth = 1 + max(left.depth, right.depth)
        if self.depth > _DEEPEST:
            raise UnsupportedError(
                f"a dimension has {self.depth} operations inside of each other, and {_DEEPEST} are the most",
                fix="give the size a name of its own in the symbolic shape",
            )
        self.text = f"{kind}({left}, {right})"
        self._hash = hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and self.text == other.text

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return self.text


Factor = str | Operation
Monomial = tuple[tuple[Factor, int], ...]  # factors and exponents, by text; () is 1


@final
class Polynomial:
    """A sum of monomials with coefficients; immutable.

    Example:
        >>> n = Polynomial.variable("n")
        >>> (n + constant(1)) * (n - constant(1))
        Polynomial(n^2 - 1)
    """

    __slots__ = ("_hash", "_text", "depth", "terms")
    depth: int

    def __init__(self, terms: Mapping[Monomial, Number]) -> None:
        ordered = sorted(
            [item for item in terms.items() if item[1]], key=lambda item: _order(item[0])
        )
        self.terms: tuple[tuple[Monomial, Number], ...] = tuple(ordered)
        self._hash = hash(self.terms)
        self._text: str | None = None
        self.depth = max(
            [f.depth for m, _ in ordered for f, _ in m if isinstance(f, Operation)], default=0
        )

    @staticmethod
    def variable(factor: Factor) -> Polynomial:
        """Return the polynomial that is one variable or operation."""
        return Polynomial({((factor, 1),): 1})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    # --- arithmetic ---

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in other.terms:
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Polynomial(terms)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.scaled(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, Number] = {}
        for left, a in self.terms:
            for right, b in other.terms:
                monomial = product(left, right)
                terms[monomial] = terms.get(monomial, 0) + a * b
        return Polynomial(terms)

    def scaled(self, number: Number) -> Polynomial:
        """Return the polynomial times a number."""
        return Polynomial({m: c * number for m, c in self.terms})

    def power(self, exponent: int) -> Polynomial:
        """Return the polynomial to a power that is not negative."""
        result = ONE
        for _ in range(exponent):
            result = result * self
        return result

    def divided(self, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Return quotient and remainder: terms that the divisor's leading term divides go to the quotient.

        All coefficients stay integers.
        """
        if not divisor.terms:
            raise ZeroDivisionError("integer division or modulo by zero")
        leading, scale = divisor.terms[0]
        quotient: dict[Monomial, Number] = {}
        remainder: dict[Monomial, Number] = {}
        rest = self
        while rest.terms:
            monomial, coefficient = rest.terms[0]
            factor = divided_monomial(monomial, leading)
            if factor is None or coefficient // scale == 0:
                remainder[monomial] = coefficient
                rest = Polynomial(dict(rest.terms[1:]))
                continue
            times = coefficient // scale
            quotient[factor] = quotient.get(factor, 0) + times
            kept = coefficient - times * scale
            if kept:
                remainder[monomial] = kept
                rest = rest - Polynomial({monomial: kept})
            rest = rest - divisor * Polynomial({factor: times})
        return Polynomial(quotient), Polynomial(remainder)

    # --- questions ---

    @property
    def constant(self) -> Number | None:
        """The number that the polynomial is, if it has no variables."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and self.terms[0][0] == ():
            return self.terms[0][1]
        return None

    @property
    def offset(self) -> Number:
        """The term without variables."""
        return self.terms[-1][1] if self.terms and self.terms[-1][0] == () else 0

    def factors(self) -> set[Factor]:
        """Return the variables and operations that it is made of; not what is inside of operations."""
        return {factor for monomial, _ in self.terms for factor, _ in monomial}

    def operations(self) -> set[Operation]:
        """All operations, also those inside of others."""
        found: set[Operation] = set()
        waiting = [self]
        while waiting:
            for factor in waiting.pop().factors():
                if isinstance(factor, Operation) and factor not in found:
                    found.add(factor)
                    waiting += [factor.left, factor.right]
        return found

    def variables(self) -> set[str]:
        """Return the names of all variables, also those inside of operations."""
        parts = [self]
        for each in self.operations():
            parts += [each.left, each.right]
        return {each for part in parts for each in part.factors() if isinstance(each, str)}

    # --- text ---

    def __str__(self) -> str:
        if self._text is None:
            self._text = _text(self.terms)
        return self._text

    def __repr__(self) -> str:
        return f"Polynomial({self})"


def constant(number: Number) -> Polynomial:
    """Return the polynomial that is a number."""
    return Polynomial({(): number})


def product(left: Monomial, right: Monomial) -> Monomial:
    """Return the monomial with the factors of both."""
    if not left or not right:
        return left or right
    exponents = dict(left)
    for factor, exponent in right:
        exponents[factor] = exponents.get(factor, 0) + exponent
    return _monomial(exponents.items())


def divided_monomial(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """Return `monomial` without the factors of `divisor`, or None if it does not contain all of them."""
    exponents = dict(monomial)
    for factor, exponent in divisor:
        exponents[factor] = exponents.get(factor, 0) - exponent
    if any([each < 0 for each in exponents.values()]):
        return None
    return _monomial([item for item in exponents.items() if item[1]])


def common_factor(polynomial: Polynomial) -> Monomial:
    """Return the largest monomial that divides every term."""
    terms = polynomial.terms
    exponents = dict(terms[0][0]) if terms else {}
    for monomial, _ in terms[1:]:
        own = dict(monomial)
        exponents = {f: min(e, own[f]) for f, e in exponents.items() if f in own}
    return _monomial(exponents.items())


def substituted(
    polynomial: Polynomial,
    values: Mapping[str, Polynomial],
    operation: Callable[[str, Polynomial, Polynomial], Polynomial],
) -> Polynomial:
    """Return the polynomial with variables replaced by values; `operation` makes operations of the new operands."""
    total = Polynomial({})
    for monomial, coefficient in polynomial.terms:
        term = constant(coefficient)
        for factor, exponent in monomial:
            if isinstance(factor, str):
                value = values[factor] if factor in values else Polynomial.variable(factor)
            else:
                left = substituted(factor.left, values, operation)
                value = operation(factor.kind, left, substituted(factor.right, values, operation))
            term = term * value.power(exponent)
        total = total + term
    return total


def _monomial(items: Iterable[tuple[Factor, int]]) -> Monomial:
    return tuple(sorted(items, key=lambda item: str(item[0])))


def _order(monomial: Monomial) -> tuple[int, list[tuple[str, int]]]:
    """Terms of the highest degree come first, then by name."""
    return -sum([e for _, e in monomial]), [(str(f), -e) for f, e in monomial]


def _text(terms: tuple[tuple[Monomial, Number], ...]) -> str:
    text = ""
    for monomial, coefficient in terms:
        parts = [f"{f}^{e}" if e > 1 else str(f) for f, e in monomial]
        size = abs(coefficient)
        if size != 1 or not parts:
            parts.insert(0, str(size))
        sign = (
            ("- " if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
        )
        text += sign + "*".join(parts)
    return text or "0"


ONE: Final = constant(1)

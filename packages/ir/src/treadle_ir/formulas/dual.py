"""Forward differentiation of formulas: numbers that carry their derivative by one operand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, TypeAlias, final

from treadle_ir.formulas.arithmetic import (
    Condition,
    Number,
    Plain,
    cos,
    exp,
    floor,
    log,
    sin,
    where,
)
from treadle_ir.primitives.compare import Direction

Slope: TypeAlias = Callable[[Number, Number], Number]
"""The derivative of a function of one operand, from the operand and the result."""

_SLOPES: Final[Mapping[str, Slope]] = {
    "negate": lambda x, y: y * 0.0 - 1.0,
    "abs": lambda x, y: where(x < 0.0, x * 0.0 - 1.0, 1.0),
    "exponential": lambda x, y: y,
    "exponential_minus_one": lambda x, y: y + 1.0,
    "log": lambda x, y: 1.0 / x,
    "log_plus_one": lambda x, y: 1.0 / (1.0 + x),
    "sqrt": lambda x, y: 0.5 / y,
    "sine": lambda x, y: cos(x),
    "cosine": lambda x, y: -sin(x),
    "erf": lambda x, y: 2 / math.sqrt(math.pi) * exp(-(x * x)),
    "erfc": lambda x, y: -2 / math.sqrt(math.pi) * exp(-(x * x)),
    "floor": lambda x, y: floor(x) * 0.0,
    "round_nearest_even": lambda x, y: floor(x) * 0.0,
}


@final
class Dual(Number):
    """A number and its derivative. One that is fixed has none, and is left as it is."""

    __slots__ = ("slope", "value")
    order: ClassVar[int] = 1

    def __init__(self, value: Number, slope: Number) -> None:
        self.engine = value.engine
        self.value: Final = value
        self.slope: Final = slope

    def applied(self, function: str, operands: Sequence[Number | float]) -> Number:
        """By the chain rule; what does not depend on the operand adds no operations."""
        if function == "select":
            condition, x, y = operands
            assert isinstance(condition, Plain)
            chosen = Condition(condition.engine, condition.value)
            return Dual(
                where(chosen, _value(x), _value(y)), where(chosen, _slope(x), _slope(y))
            )
        result = self.value.applied(function, [_value(x) for x in operands])
        if len(operands) == 1:
            return Dual(result, self.slope * _SLOPES[function](self.value, result))
        x, y = operands
        return Dual(result, _PARTIALS[function](x, y, result))

    def compare(self, direction: Direction, other: Number | float) -> Condition:
        """Of the values alone."""
        return self.value.compare(direction, _value(other))

    def parts(self) -> list[Plain]:
        """Value and derivative."""
        return [*self.value.parts(), *self.slope.parts()]

    def rebuilt(self, parts: Sequence[Plain]) -> Dual:
        """From value and derivative."""
        half = len(parts) // 2
        return Dual(self.value.rebuilt(parts[:half]), self.slope.rebuilt(parts[half:]))


def _value(x: Number | float) -> Number | float:
    return x.value if isinstance(x, Dual) else x


def _slope(x: Number | float) -> Number | float:
    return x.slope if isinstance(x, Dual) else 0.0


def _sum(x: Number | float, y: Number | float, result: Number) -> Number:
    if not isinstance(y, Dual):
        assert isinstance(x, Dual)
        return x.slope
    return x.slope + y.slope if isinstance(x, Dual) else y.slope


def _difference(x: Number | float, y: Number | float, result: Number) -> Number:
    if not isinstance(y, Dual):
        assert isinstance(x, Dual)
        return x.slope
    return x.slope - y.slope if isinstance(x, Dual) else -y.slope


def _product(x: Number | float, y: Number | float, result: Number) -> Number:
    if not isinstance(y, Dual):
        assert isinstance(x, Dual)
        return x.slope * y
    if not isinstance(x, Dual):
        return y.slope * x
    return x.slope * y.value + y.slope * x.value


def _quotient(x: Number | float, y: Number | float, result: Number) -> Number:
    if not isinstance(y, Dual):
        assert isinstance(x, Dual)
        return x.slope / y
    change = y.slope * result
    return (x.slope - change if isinstance(x, Dual) else -change) / y.value


def _power(x: Number | float, y: Number | float, result: Number) -> Number:
    # of a positive number
    terms = []
    if isinstance(x, Dual):
        terms.append(x.slope * _value(y) / x.value)
    if isinstance(y, Dual):
        base = _value(x)
        terms.append(y.slope * (log(base) if isinstance(base, Number) else math.log(base)))
    return result * (terms[0] if len(terms) == 1 else terms[0] + terms[1])


_PARTIALS: Final[Mapping[str, Callable[[Number | float, Number | float, Number], Number]]] = {
    "add": _sum,
    "subtract": _difference,
    "multiply": _product,
    "divide": _quotient,
    "power": _power,
}


def varied(x: Number) -> Dual:
    """The operand that a formula is differentiated by."""
    return Dual(x, x.full(1.0))


def fixed(x: Number) -> Dual:
    """A number that does not depend on that operand: for states of loops that come to depend on it."""
    return x if isinstance(x, Dual) else Dual(x, x.full(0.0))


def value_of(x: Number) -> Number:
    """Without the derivative."""
    return x.value if isinstance(x, Dual) else x


def slope_of(x: Number) -> Number:
    """The derivative; zero of what carries none."""
    return x.slope if isinstance(x, Dual) else x.full(0.0)

"""Forward differentiation of formulas: numbers that carry their derivative by one operand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, final

from treadle_ir.formulas.arithmetic import (
    Condition,
    Number,
    Plain,
    cos,
    exp,
    floor,
    highest,
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
    "digamma": lambda x, y: x.full(1.0).apply("polygamma", x),
    "lgamma": lambda x, y: x.apply("digamma"),
    "erf": lambda x, y: 2 / math.sqrt(math.pi) * exp(-(x * x)),
    "erfc": lambda x, y: -2 / math.sqrt(math.pi) * exp(-(x * x)),
    "floor": lambda x, y: floor(x) * 0.0,
    "round_nearest_even": lambda x, y: floor(x) * 0.0,
}


@final
class Dual(Number):
    """A number and its derivative by an operand. What does not depend on that has none, and is left as it is.

    Derivatives by several operands, or of higher order, have levels: value and derivative of a level are numbers of
    lower ones.
    """

    __slots__ = ("slope", "value")

    def __init__(self, level: int, value: Number, slope: Number) -> None:
        self.engine = value.engine
        self.level = level
        self.value: Final = value
        self.slope: Final = slope

    def applied(self, function: str, operands: Sequence[Number | float]) -> Number:
        """Apply a function and the chain rule."""
        values = [self.value_of(x) for x in operands]
        slopes = [self.slope_of(x) for x in operands]
        if function == "select":
            condition = operands[0]
            assert isinstance(condition, Plain)
            chosen = Condition(condition.engine, condition.value)
            by_x, by_y = [
                _slope_of_constant(x) if slope is None else slope
                for x, slope in zip(values[1:], slopes[1:], strict=True)
            ]
            return Dual(self.level, where(chosen, *values[1:]), where(chosen, by_x, by_y))
        result = highest(*values).applied(function, values)
        if len(operands) == 1:
            (x,), (dx,) = values, slopes
            assert isinstance(x, Number)
            assert dx is not None
            return Dual(self.level, result, dx * _SLOPES[function](x, result))
        return Dual(self.level, result, _PARTIALS[function](*values, *slopes, result))

    def value_of(self, x: Number | float) -> Number | float:
        """Return a number without the derivative of this level."""
        return x.value if isinstance(x, Dual) and x.level == self.level else x

    def slope_of(self, x: Number | float) -> Number | None:
        """Return a number's derivative of this level."""
        return x.slope if isinstance(x, Dual) and x.level == self.level else None

    def compare(self, direction: Direction, other: Number | float) -> Condition:
        """Compare the numbers without derivatives."""
        return self.plain.compare(direction, other)

    @property
    def plain(self) -> Plain:
        """Return the plain number of the value."""
        return self.value.plain


Operand: TypeAlias = Number | float
_Slope: TypeAlias = Number | None


def _slope_of_constant(x: Number | float) -> float:
    """0, but NaN where a function is not defined: neither is its derivative."""
    return math.nan if isinstance(x, float) and math.isnan(x) else 0.0


def _given(x: Number | None) -> Number:
    assert x is not None
    return x


def _sum(x: Operand, y: Operand, dx: _Slope, dy: _Slope, z: Number) -> Number:
    return _given(dx) if dy is None else dy if dx is None else dx + dy


def _difference(x: Operand, y: Operand, dx: _Slope, dy: _Slope, z: Number) -> Number:
    return _given(dx) if dy is None else -dy if dx is None else dx - dy


def _product(x: Operand, y: Operand, dx: _Slope, dy: _Slope, z: Number) -> Number:
    return _added(None if dx is None else dx * y, None if dy is None else dy * x)


def _quotient(x: Operand, y: Operand, dx: _Slope, dy: _Slope, z: Number) -> Number:
    return _added(dx, None if dy is None else -(dy * z)) / y


def _power(x: Operand, y: Operand, dx: _Slope, dy: _Slope, z: Number) -> Number:
    # of a positive x
    by_x = None if dx is None else dx * y / x
    by_y = None if dy is None else dy * (log(x) if isinstance(x, Number) else math.log(x))
    return z * _added(by_x, by_y)


def _polygamma(n: Operand, x: Operand, dn: _Slope, dx: _Slope, z: Number) -> Number:
    # of a constant order
    assert isinstance(n, Number)
    return _given(dx) * (n + 1.0).apply("polygamma", x)


def _added(x: Number | None, y: Number | None) -> Number:
    return _given(x) if y is None else y if x is None else x + y


_PARTIALS: Final[Mapping[str, Callable[..., Number]]] = {
    "add": _sum,
    "subtract": _difference,
    "multiply": _product,
    "divide": _quotient,
    "polygamma": _polygamma,
    "power": _power,
}


def varied(x: Number, *others: Number) -> Dual:
    """Return the operand that a formula of it and others is differentiated by."""
    return Dual(1 + max(y.level for y in (x, *others)), x, x.full(1.0))


def slope_by(operand: Dual, x: Number) -> Number:
    """Return the derivative of a number by an operand that is varied."""
    slope = operand.slope_of(x)
    return x.full(0.0) if slope is None else slope


def value_at(operand: Dual, x: Number) -> Number:
    """Return a number without the derivative by an operand that is varied."""
    value = operand.value_of(x)
    assert isinstance(value, Number)
    return value

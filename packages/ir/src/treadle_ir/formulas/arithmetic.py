"""Numbers that a formula computes with: NumPy's arrays, values of a program, or either with a derivative.

A formula of a special function is written once, in these. The reference evaluator runs it on float64 arrays, the
compiler stages it as a program, each with an `Engine` of its own, and `Dual` differentiates it (`dual.py`). Operands
may also be Python numbers, in the element type of the others. Both sides of a `where` are computed, and what is not
selected may be infinite or NaN.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, final

from numpy.polynomial.chebyshev import cheb2poly

from treadle_ir.primitives.compare import Direction
from treadle_ir.tracing.array import Operand, Operands

Function: TypeAlias = Callable[
    ..., Any
]  # NumPy's or one of `ops`: each takes what its engine holds


EngineStep: TypeAlias = Callable[[Operand, Operands], list[Operand]]
"""A step of a loop, from the number of the iteration and the state to the next state."""

_ROUNDED: Final = 2.0**-32  # of a result in float32: one of 256 is rounded to the other neighbour


class Engine(ABC):
    """What computes: functions by the names of `ops`, constants, and loops."""

    __slots__ = ()
    functions: Mapping[str, Function]
    double: bool  # whether it computes in float64; else in float32
    rounded: bool  # whether it computes in float64 what is rounded to float32, or less, in the end

    @abstractmethod
    def constant(self, value: float) -> Operand:
        """Return a number in the element type."""

    @abstractmethod
    def full(self, value: float) -> Operand:
        """Return a number over the shape of the formula's operands."""

    @abstractmethod
    def compare(self, x: Operand, y: Operand, direction: Direction) -> Operand:
        """Compare elementwise."""

    @abstractmethod
    def loop(
        self,
        state: Operands,
        step: EngineStep,
        unfinished: Callable[[Operands], Operand],
        most: int,
    ) -> Operands:
        """`step` with 1, 2, ... and the state, as long as an element is unfinished, `most` times at most."""

    @abstractmethod
    def countdown(self, counts: Operand, state: Operands, step: EngineStep) -> Operands:
        """Apply `step` to the greatest of the counts, an integer, and the state, then to one less, down to 1."""

    @abstractmethod
    def if_any(
        self, condition: Operand, compute: Callable[[], list[Operand]], otherwise: Operands
    ) -> Operands:
        """Return the results of `compute` if any element fulfils the condition, else `otherwise`."""


class Number(ABC):
    """A number of each element, with arithmetic."""

    __slots__ = ("engine", "level")
    level: int  # of the derivative that it carries; 0 for none
    engine: Engine

    @abstractmethod
    def applied(self, function: str, operands: Sequence[Number | float]) -> Number:
        """Apply a function of the engine to operands, none of higher level than this number."""

    @abstractmethod
    def compare(self, direction: Direction, other: Number | float) -> Condition:
        """Compare the values elementwise."""

    @property
    @abstractmethod
    def plain(self) -> Plain:
        """The number without derivatives."""

    @property
    def double(self) -> bool:
        """Whether the arithmetic is float64; else it is float32."""
        return self.engine.double

    @property
    def fine(self) -> bool:
        """Whether the result is of float64."""
        return self.engine.double and not self.engine.rounded

    @property
    def epsilon(self) -> float:
        """The relative size of what makes no difference: between 1 and the next number, or a small part of that."""
        if self.engine.rounded:
            return _ROUNDED
        return 2.0**-52 if self.engine.double else 2.0**-23

    @property
    def smallest(self) -> float:
        """The smallest normal number of the result's type: what is below it may be computed with as 0, or not."""
        return 2.0**-1022 if self.fine else 2.0**-126

    def full(self, value: float) -> Plain:
        """Return a constant over the shape of the formula's operands, as the state of a loop needs it."""
        return Plain(self.engine, self.engine.full(value))

    def apply(self, function: str, *others: Number | float) -> Number:
        """Apply a function of the engine to this number and others."""
        return highest(self, *others).applied(function, (self, *others))

    def __add__(self, other: Number | float) -> Number:
        return self.apply("add", other)

    def __sub__(self, other: Number | float) -> Number:
        return self.apply("subtract", other)

    def __mul__(self, other: Number | float) -> Number:
        return self.apply("multiply", other)

    def __truediv__(self, other: Number | float) -> Number:
        return self.apply("divide", other)

    def __radd__(self, other: float) -> Number:
        return self.apply("add", other)

    def __rsub__(self, other: float) -> Number:
        return self.applied("subtract", (other, self))

    def __rmul__(self, other: float) -> Number:
        return self.apply("multiply", other)

    def __rtruediv__(self, other: float) -> Number:
        return self.applied("divide", (other, self))

    def __neg__(self) -> Number:
        return self.apply("negate")

    def __abs__(self) -> Number:
        return self.apply("abs")

    def __lt__(self, other: Number | float) -> Condition:
        return self.compare("lt", other)

    def __le__(self, other: Number | float) -> Condition:
        return self.compare("le", other)

    def __gt__(self, other: Number | float) -> Condition:
        return self.compare("gt", other)

    def __ge__(self, other: Number | float) -> Condition:
        return self.compare("ge", other)

    def equals(self, other: Number | float) -> Condition:
        """Elementwise equality: `==` is Python's own."""
        return self.compare("eq", other)

    def is_nan(self) -> Condition:
        """Return the condition that this number is NaN: not equal to itself."""
        return self.compare("ne", self)


@final
class Condition:
    """A boolean of each element."""

    __slots__ = ("engine", "value")

    def __init__(self, engine: Engine, value: Operand) -> None:
        self.engine: Final = engine
        self.value: Final = value

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.engine, self.engine.functions["and"](self.value, other.value))

    def __or__(self, other: Condition) -> Condition:
        return Condition(self.engine, self.engine.functions["or"](self.value, other.value))

    def __invert__(self) -> Condition:
        return Condition(self.engine, self.engine.functions["not"](self.value))


@final
class Plain(Number):
    """A number alone."""

    __slots__ = ("value",)

    def __init__(self, engine: Engine, value: Operand) -> None:
        self.engine = engine
        self.level = 0
        self.value: Final = value

    def _operand(self, x: Number | float) -> Operand:
        if isinstance(x, Plain):
            return x.value
        assert isinstance(x, float | int)
        return self.engine.constant(x)

    def applied(self, function: str, operands: Sequence[Number | float]) -> Plain:
        """Apply the engine's function."""
        values = [self._operand(x) for x in operands]
        return Plain(self.engine, self.engine.functions[function](*values))

    def compare(self, direction: Direction, other: Number | float) -> Condition:
        """Compare by the engine."""
        y = self._operand(other.plain if isinstance(other, Number) else other)
        return Condition(self.engine, self.engine.compare(self.value, y, direction))

    @property
    def plain(self) -> Plain:
        """Itself."""
        return self


Formula: TypeAlias = Callable[..., Number]


def highest(*numbers: Number | float) -> Number:
    """Return the number that carries the derivative of the highest level."""
    best: Number | None = None
    for number in numbers:
        if isinstance(number, Number) and (best is None or number.level > best.level):
            best = number
    assert best is not None, "a formula computes with Python numbers only"
    return best


def odd(x: Number, value: Number) -> Number:
    """Return an odd function of x, given its value for the magnitude of x; at 0 and NaN it is x."""
    value = where(x < 0.0, -value, value)
    return where(x.is_nan() | x.equals(0.0), x, value)


def exp(x: Number) -> Number:
    """Return `e ** x`."""
    return x.apply("exponential")


def expm1(x: Number) -> Number:
    """Return `e ** x - 1`."""
    return x.apply("exponential_minus_one")


def log(x: Number) -> Number:
    """Return the natural logarithm."""
    return x.apply("log")


def log1p(x: Number) -> Number:
    """Return `log(1 + x)`."""
    return x.apply("log_plus_one")


def sqrt(x: Number) -> Number:
    """Return the square root."""
    return x.apply("sqrt")


def sin(x: Number) -> Number:
    """Return the sine."""
    return x.apply("sine")


def cos(x: Number) -> Number:
    """Return the cosine."""
    return x.apply("cosine")


def erf(x: Number) -> Number:
    """Return the error function."""
    return x.apply("erf")


def erfc(x: Number) -> Number:
    """Return the complement of the error function."""
    return x.apply("erfc")


def floor(x: Number) -> Number:
    """Return the greatest whole number that is not above."""
    return x.apply("floor")


def nearest(x: Number) -> Number:
    """Return the nearest whole number, the even one of two."""
    return x.apply("round_nearest_even")


def power(x: Number, y: Number | float) -> Number:
    """Return `x ** y`."""
    return x.apply("power", y)


def power_of_positive(x: Number, y: Number | float) -> Number:
    """Return `x ** y` for x >= 0; by a logarithm, an eighth of the time, where the result is rounded to float32."""
    return exp(log(x) * y) if x.engine.rounded else power(x, y)


def where(condition: Condition, x: Number | float, y: Number | float) -> Number:
    """Return `x` where the condition holds, else `y`."""
    kind = Plain(condition.engine, condition.value)  # carries the condition to `select`
    return highest(kind, x, y).applied("select", (kind, x, y))


def smaller(x: Number, y: Number | float) -> Number:
    """Return the smaller of two."""
    return where(x < y, x, y)


def greater(x: Number, y: Number | float) -> Number:
    """Return the greater of two."""
    return where(x > y, x, y)


def between(x: Number, low: float, high: float) -> Number:
    """Return `x`, or the limit that it is beyond."""
    return smaller(greater(x, low), high)


def polynomial(coefficients: Sequence[float], x: Number) -> Number:
    """Return the polynomial with these coefficients, lowest first, by Horner's rule."""
    total: Number | float = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = x * total + c
    assert isinstance(total, Number)
    return total


@lru_cache(maxsize=256)
def _powers(coefficients: tuple[float, ...]) -> list[float]:
    """Return a Chebyshev series as powers, lowest first."""
    return cheb2poly(coefficients).tolist()


def chebyshev(coefficients: Sequence[float], t: Number) -> Number:
    """Return the sum of c[k] T_k(t) for -1 <= t <= 1, by the recurrence of Clenshaw (1955).

    Without the coefficients that are below the rounding to float32, where the result is rounded to it.
    """
    if t.engine.rounded or not t.double:
        least = (_ROUNDED if t.double else 1e-9) * max(map(abs, coefficients))
        steep = (
            2 * t.level if t.double else 0
        )  # T_k changes by k^2 at most, and so does its derivative
        coefficients = coefficients[
            : 1 + max(k for k, c in enumerate(coefficients) if abs(c) * max(k, 1) ** steep > least)
        ]
    if (
        t.engine.rounded and not t.level
    ):  # float64 has digits to spare for the powers of t: a third less to do
        return polynomial(_powers(tuple(coefficients)), t)
    last: Number = t * 0.0
    before = last
    twice = t + t
    for c in reversed(coefficients[1:]):
        last, before = twice * last - before + c, last
    return t * last - before + coefficients[0]

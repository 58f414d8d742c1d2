"""Truncated power series: the value of a curve `x(t)` at 0, and the coefficients of `t`, `t**2`, ... up to an order.

Coefficients here are normalised, `x_k = (d/dt)**k x / k!`, so that products are convolutions. A series without an
array is a constant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_autodiff import Zero, materialise
from treadle_ir import ArrayType, Operand, ops, type_of
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import refused

Coefficients: TypeAlias = Sequence[Operand]  # of t, t**2, ..., as many as the order


@final
class ZeroSeries:
    """The series of an argument that does not move."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "zero_series"


zero_series: Final = ZeroSeries()


@final
class ZeroTerm:
    """A coefficient that is zero, in what a rule of a library returns."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "zero_term"


zero_term: Final = ZeroTerm()
Series: TypeAlias = "Coefficients | ZeroSeries"


def fact(n: Any) -> Any:  # Any: a number or an array, as what comes back
    """Return the factorial of an integer, or of each of several.

    Example:
        >>> from treadle.experimental.jet import fact
        >>> fact(5), fact([3, 4]).tolist()
        (120, [6, 24])
    """
    if isinstance(n, int):
        return math.factorial(_counted(n))
    numbers = [_counted(each) for each in np.ravel(integer_elements(n))]
    return np.array([math.factorial(each) for each in numbers], int).reshape(np.shape(n))


def integer_elements(n: Any) -> Any:
    """Return an array of integers, or a nested sequence of them."""
    try:
        elements = np.asarray(n)
    except (TypeError, ValueError, RecursionError, MemoryError):
        raise refused("fact", "n", "an integer or an array of integers", n) from None
    if elements.dtype.kind not in "iu":
        raise refused("fact", "n", "an integer or an array of integers", n)
    return elements


def _counted(n: Any) -> int:
    """Return a number whose factorial fits into 64 bits."""
    if not 0 <= n <= 20:
        raise refused("fact", "n", "from 0 to 20", n)
    return int(n)


def zeros_like(x: Operand) -> Operand:
    """Return a coefficient that is zero."""
    type = type_of(x)
    return materialise(Zero(type.strong()))


def terms(x: Operand, series: Series, order: int) -> list[Operand]:
    """Return all coefficients of a curve, from the constant one on."""
    rest = [zeros_like(x)] * order if isinstance(series, ZeroSeries) else series
    return [x, *rest]


def moves(type: ArrayType) -> bool:
    """Return whether an array of this type can move: integers and booleans cannot."""
    return is_inexact(type.dtype)


def number(value: float, like: Operand) -> np.generic:
    """Return a number in the element type of an array."""
    scalar: np.generic = type_of(like).dtype.type(value)
    return scalar


def total(parts: Sequence[Operand]) -> Operand:
    """Return the sum of at least one array."""
    result = parts[0]
    for part in parts[1:]:
        result = ops.add(result, part)
    return result


def scaled(value: float, x: Operand) -> Operand:
    """Return a number times an array."""
    return x if value == 1 else ops.multiply(number(value, x), x)


def derivative(series: Sequence[Operand]) -> list[Operand]:
    """Return the coefficients of the derivative by `t`, from the constant one on; of the coefficients of `t`, `t**2`,
    ...
    """
    return [scaled(k, x) for k, x in enumerate(series, 1)]


def integral(series: Sequence[Operand]) -> list[Operand]:
    """Return the coefficients of `t`, `t**2`, ... of an integral; of all coefficients of what is integrated."""
    return [ops.divide(x, number(k, x)) if k > 1 else x for k, x in enumerate(series, 1)]


def product(x: Sequence[Operand], y: Sequence[Operand]) -> list[Operand]:
    """Return all coefficients of a product of two curves."""
    return [
        total([ops.multiply(x[i], y[k - i]) for i in range(k + 1)])
        for k in range(min(len(x), len(y)))
    ]

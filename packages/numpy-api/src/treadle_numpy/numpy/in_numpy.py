"""Counterparts of composed functions in NumPy: one call in the place of ten or twenty.

They give what the operations of the functions give, to the last bit, and leave to these the numbers for which NumPy's
own function differs. They serve floats of NumPy's own types that have axes (decisions/0091-counterparts-in-numpy.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType, Counterpart

_TYPES: Final = "fd"  # NumPy's letters
# Any: arrays of floats of either width.
_Elements = np.ndarray[Any, Any]


def _serves(type: ArrayType) -> bool:
    """Whether arrays of a type hold floats that NumPy's functions compute with, and have axes."""
    return type.ndim > 0 and type.dtype.char in _TYPES


def _is_finite(x: _Elements) -> bool:
    """Whether all elements are finite; False also for some that are very large."""
    square = float(np.vdot(x, x))
    return square - square == 0


def frexp(types: Sequence[ArrayType]) -> Counterpart | None:
    """`np.frexp`; exponents of what is not finite are the C library's, which says nothing of them."""
    if not _serves(types[0]):
        return None
    return lambda x: np.frexp(x) if _is_finite(x) else None


def modf(types: Sequence[ArrayType]) -> Counterpart | None:
    """`np.modf`."""
    return np.modf if _serves(types[0]) else None


def spacing(types: Sequence[ArrayType]) -> Counterpart | None:
    """`np.spacing`, but for the greatest number, whose distance to infinity NumPy takes."""
    if not _serves(types[0]):
        return None

    def run(x: _Elements) -> list[_Elements] | None:
        distance: _Elements = np.spacing(x)
        return [distance] if _is_finite(distance) else None

    return run


def polyval(types: Sequence[ArrayType]) -> Counterpart | None:
    """Horner's rule in one array."""
    coefficients, x = types
    if coefficients.ndim != 1 or x.dtype != coefficients.dtype or not _serves(x):
        return None
    zero, places = np.array(0, x.dtype), [(place, ...) for place in range(coefficients.size)]
    multiply, add = np.multiply, np.add

    def run(p: _Elements, x: _Elements) -> list[_Elements]:
        value: _Elements = multiply(x, zero)
        for place in places:
            multiply(value, x, value)
            add(value, p[place], value)
        return [value]

    return run


def _divided(x: _Elements, y: _Elements) -> tuple[_Elements, _Elements, _Elements] | None:
    """The remainder of the truncated quotient, where that is not the floored one, and the latter; None where y is 0."""
    if np.count_nonzero(y) < y.size:
        return None
    rest: _Elements = np.fmod(x, y)
    wrong: _Elements = np.not_equal(np.copysign(rest, y), rest)
    quotient: _Elements = np.divide(x - rest, y)
    np.subtract(quotient, wrong, quotient)
    return rest, wrong, np.rint(quotient, quotient)


def floor_divide(types: Sequence[ArrayType]) -> Counterpart | None:
    """The quotient without the remainder, in fewer calls."""
    if types[0].dtype != types[1].dtype or not all(map(_serves, types)):
        return None

    def run(x: _Elements, y: _Elements) -> list[_Elements] | None:
        found = _divided(x, y)
        return None if found is None else [found[2]]

    return run


def divmod(types: Sequence[ArrayType]) -> Counterpart | None:
    """As `floor_divide`, with the remainder."""
    if floor_divide(types) is None:
        return None

    def run(x: _Elements, y: _Elements) -> list[_Elements] | None:
        found = _divided(x, y)
        if found is None:
            return None
        rest, wrong, quotient = found
        np.putmask(rest, wrong, rest + y)
        return [quotient, rest]

    return run


def unwrap(types: Sequence[ArrayType]) -> Counterpart | None:
    """Angles in fewer calls; jumps of exactly half a period, which have a sign of their own, are left out."""
    if types[0].ndim != 1 or types[0].size < 2 or not _serves(types[0]):
        return None
    period, half, zero = [np.array(x, types[0].dtype) for x in (2 * np.pi, np.pi, 0)]

    def run(x: _Elements) -> list[_Elements] | None:
        first, rest = x[:-1], x[1:]
        jump = rest - first
        change: _Elements = np.remainder(jump + half, period) - half
        if not change[change.argmin()] > -half:
            return None
        change -= jump
        np.putmask(change, np.abs(jump) < half, zero)
        result: _Elements = np.empty(x.shape, x.dtype)
        result[0] = x[0]
        np.add(rest, np.add.accumulate(change), result[1:])
        return [result]

    return run

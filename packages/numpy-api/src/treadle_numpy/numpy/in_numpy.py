"""Host functions by NumPy: one call instead of ten or twenty.

They give what the operations of the functions give, to the last bit, and leave to these the numbers for which NumPy's
own function differs. They serve floats of NumPy's own types that have axes (decisions/0091-counterparts-in-numpy.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.calling import HostFunction

_TYPES: Final = "fd"  # NumPy's letters
# Any: arrays of floats of either width.
_Elements = np.ndarray[Any, Any]


def _serves(type: ArrayType) -> bool:
    """Return whether arrays of a type hold floats that NumPy's functions compute with, and have axes."""
    return type.ndim > 0 and type.dtype.char in _TYPES


def _is_finite(x: _Elements) -> bool:
    """Return whether all elements are finite; False also for some that are very large."""
    square = float(np.vdot(x, x))
    return square - square == 0


def frexp(types: Sequence[ArrayType]) -> HostFunction | None:
    """`np.frexp`; the C library leaves exponents of numbers that are not finite unspecified."""
    if not _serves(types[0]):
        return None
    return lambda x: np.frexp(x) if _is_finite(x) else None


def modf(types: Sequence[ArrayType]) -> HostFunction | None:
    """`np.modf`."""
    return np.modf if _serves(types[0]) else None


def spacing(types: Sequence[ArrayType]) -> HostFunction | None:
    """`np.spacing`, but for the greatest number, whose distance to infinity NumPy takes."""
    if not _serves(types[0]):
        return None

    def run(x: _Elements) -> list[_Elements] | None:
        distance: _Elements = np.spacing(x)
        return [distance] if _is_finite(distance) else None

    return run


def _are_of_one_type(types: Sequence[ArrayType]) -> bool:
    """Return whether arrays are served, have elements, and have one element type."""
    return all([_serves(x) and x.size > 0 and x.dtype == types[0].dtype for x in types])


def _is_exact(quotient: _Elements) -> bool:
    """Return whether quotients are so small that NumPy's rounding cannot differ from the operations' rounding."""
    most = 1 << (21 if quotient.dtype.char == "f" else 50)
    return bool(np.vdot(quotient, quotient) < most * most)


def _quotient(x: _Elements, y: _Elements, rest: _Elements) -> tuple[_Elements, _Elements]:
    """Return the quotient rounded down, and where that is one less than the quotient rounded toward zero.

    Args:
        x: the dividend.
        y: the divisor.
        rest: the remainder with the sign of `x`.
    """
    quotient: _Elements = x - rest
    quotient /= y
    lower: _Elements = np.copysign(rest, y) != rest
    quotient -= lower
    np.rint(quotient, quotient)
    if np.count_nonzero(y) != y.size:
        np.divide(x, y, out=quotient, where=y == 0)
    return quotient, lower


def floor_divide(types: Sequence[ArrayType]) -> HostFunction | None:
    """`np.floor_divide` by positive numbers; it gives zero quotients other signs by negative ones."""
    if not _are_of_one_type(types):
        return None

    def run(x: _Elements, y: _Elements) -> list[_Elements]:
        if y.item(y.argmin()) > 0.0:
            quotient: _Elements = np.floor_divide(x, y)
            if _is_exact(quotient):
                quotient += 0.0  # no zero is negative
                return [quotient]
        return [_quotient(x, y, np.fmod(x, y))[0]]

    return run


def divmod(types: Sequence[ArrayType]) -> HostFunction | None:
    """`np.divmod` by positive numbers, but for zero remainders of negative numbers, to which it gives other signs."""
    if not _are_of_one_type(types):
        return None

    def run(x: _Elements, y: _Elements) -> list[_Elements]:
        if y.item(y.argmin()) > 0.0:
            quotient, rest = np.divmod(x, y)
            if _is_exact(quotient) and (
                np.count_nonzero(rest) == rest.size or x.item(x.argmin()) > 0.0
            ):
                quotient += 0.0
                return [quotient, rest]
        rest = np.fmod(x, y)
        quotient, lower = _quotient(x, y, rest)
        np.add(rest, y, out=rest, where=lower)
        return [quotient, rest]

    return run


def polyval(types: Sequence[ArrayType]) -> HostFunction | None:
    """Horner's rule in one array."""
    coefficients, x = types
    if (
        coefficients.ndim != 1
        or not coefficients.size
        or x.dtype != coefficients.dtype
        or not _serves(x)
    ):
        return None
    zero, places = np.array(0, x.dtype), [(place, ...) for place in range(1, coefficients.size)]
    multiply, add = np.multiply, np.add

    def run(p: _Elements, x: _Elements) -> list[_Elements]:
        value: _Elements = multiply(x, zero)
        add(value, p[0, ...], value)
        for place in places:
            multiply(value, x, value)
            add(value, p[place], value)
        return [value]

    return run

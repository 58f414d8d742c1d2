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
_FEW: Final = 16  # roots, whose square counts, or coefficients
_MOST: Final = 1 << 10  # points
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

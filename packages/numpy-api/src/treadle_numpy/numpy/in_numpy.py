"""Counterparts of composed functions in NumPy: one call in the place of ten or twenty.

They give what the operations of the functions give, to the last bit, and leave to these the numbers for which NumPy's
own function differs. They serve floats of NumPy's own types that have axes (decisions/0091-counterparts-in-numpy.md).

`poly` and `polyfit` are the exceptions: they compute more exactly than the operations, and agree with these up to
rounding. So they are counterparts of loops (`composed_loop`), which serve from the first call on: which of the two
computes depends on the arguments alone (decisions/0094-counterparts-in-lapack.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType, Counterpart, import_module

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


def _are_of_one_type(types: Sequence[ArrayType]) -> bool:
    """Return whether arrays have elements, all of one type that NumPy's functions compute with."""
    return all([_serves(x) and x.size > 0 and x.dtype == types[0].dtype for x in types])


def _is_ordinary(quotient: _Elements, whole: _Elements, divisor: _Elements) -> bool:
    """Return whether NumPy rounds quotients, and gives zeros the signs, that the operations do."""
    exact = 1 << (21 if quotient.dtype.char == "f" else 50)
    return (
        bool(np.vdot(quotient, quotient) < exact * exact)
        and np.count_nonzero(whole) == whole.size
        and divisor.item(divisor.argmin()) > 0.0
    )


def floor_divide(types: Sequence[ArrayType]) -> Counterpart | None:
    """`np.floor_divide` of what is not zero by positive numbers."""
    if not _are_of_one_type(types):
        return None

    def run(x: _Elements, y: _Elements) -> list[_Elements] | None:
        quotient: _Elements = np.floor_divide(x, y)
        return [quotient] if _is_ordinary(quotient, x, y) else None

    return run


def divmod(types: Sequence[ArrayType]) -> Counterpart | None:
    """`np.divmod` by positive numbers, where something is left of each."""
    if not _are_of_one_type(types):
        return None

    def run(x: _Elements, y: _Elements) -> list[_Elements] | None:
        quotient, rest = np.divmod(x, y)
        return [quotient, rest] if _is_ordinary(quotient, rest, y) else None

    return run


def unwrap(types: Sequence[ArrayType]) -> Counterpart | None:
    """Steps are looked at first: where all are shorter than half a turn, nothing moves."""
    (angles,) = types
    if not _serves(angles) or angles.ndim != 1 or angles.size < 2:
        return None
    turn, half, none = (np.array(x, angles.dtype) for x in (2 * np.pi, np.pi, 0.0))
    low = -half

    def run(x: _Elements) -> list[_Elements]:
        step = x[1:] - x[:-1]
        length = abs(step)
        result = x.copy()
        rest = result[1:]
        if length.item(length.argmax()) < half:
            rest += none  # zeros lose their sign
            return [result]
        moved = np.remainder(step + half, turn)
        moved -= half
        lowest = moved == low
        if np.count_nonzero(lowest):
            np.putmask(moved, lowest & (step > none), half)
        moved -= step
        np.putmask(moved, length < half, none)
        rest += np.add.accumulate(moved)
        return [result]

    return run


def poly(types: Sequence[ArrayType]) -> Counterpart | None:
    """In Python's numbers, more exact than the operations, which serve many roots and what is not finite."""
    (roots,) = types
    if roots.dtype.char not in "fdFD" or roots.ndim != 1 or not 0 < roots.size <= _FEW:
        return None

    def run(x: _Elements) -> list[_Elements] | None:
        zeros = x.tolist()
        total = sum(zeros)
        if total - total != 0:
            return None
        coefficients = [1.0]
        for zero in zeros:
            times, last = [], 0.0
            for each in coefficients:
                times.append(each - zero * last)
                last = each
            times.append(-zero * last)
            coefficients = times
        return [np.array(coefficients, x.dtype)]

    return run


def polyfit(types: Sequence[ArrayType], deg: object) -> Counterpart | None:
    """LAPACK's least squares in double precision, what it does not solve is left to the operations."""
    points, values = types
    if type(deg) is not int or not 0 <= deg < _FEW or not _are_of_one_type(types):
        return None
    if points.ndim != 1 or points.shape != values.shape or not deg < points.size <= _MOST:
        return None
    try:
        lapack = import_module("scipy.linalg.lapack")
    except ImportError:
        return None
    solve, size = lapack.dgelsd, points.size
    length, whole, _ = lapack.dgelsd_lwork(size, deg + 1, 1)
    dtype, exponents, ones = points.dtype, np.arange(deg, -1.0, -1.0)[:, None], np.ones(size)
    work, cut = (int(length), whole), size * float(np.finfo(dtype).eps)
    wide, sqrt, infinite = exponents.dtype, np.sqrt, math.inf

    def run(x: _Elements, y: _Elements) -> list[_Elements] | None:
        powers = x.astype(wide) ** exponents  # in rows, which are LAPACK's columns
        lengths = sqrt((powers * powers).dot(ones))
        numbers = lengths.tolist()
        if not (sum(numbers) < infinite and min(numbers) > 0.0):
            return None
        powers /= lengths[:, None]
        found, _, _, info = solve(powers.T, y.astype(wide), *work, cut, 1, 1)  # in their place
        if info:
            return None
        coefficients = (found[: deg + 1] / lengths).astype(dtype)
        return [coefficients] if math.isfinite(sum(coefficients.tolist())) else None

    return run

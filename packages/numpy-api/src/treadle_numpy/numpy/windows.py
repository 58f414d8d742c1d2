"""Windows that samples are weighted with before a Fourier transform: constants of the program, but for Kaiser's.

Kaiser's has a parameter that may be traced, and a derivative by it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    DTypeError,
    ShapeError,
    allocating,
    default_dtype,
    integer,
    ops,
)
from treadle_ir.dtypes import is_complex
from treadle_numpy.operands.arrays import Elements, array_of, made
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.promote import converted

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


class _Window(Protocol):
    def __call__(self, M: int, /) -> Elements: ...  # noqa: N803 - NumPy's name


def _samples(function: str, window: _Window, M: object) -> Array:  # noqa: N803
    count = integer(function, "M", M)
    if count < 0:
        raise ArgumentError(f"{function}: M is {count}, but must not be negative")
    with allocating():
        return made(np.asarray(window(count), default_dtype(float)))


def bartlett(M: int) -> Array:  # noqa: N803 - NumPy's name
    """A triangle of `M` points from 0 to 1 and back to 0, in the default float type; a single point is 1.

    Raises:
        ArgumentError: M is no integer, or negative, for which NumPy's window is empty.

    Example:
        >>> print(bartlett(5))
        [0.  0.5 1.  0.5 0. ]
    """
    return _samples("bartlett", np.bartlett, M)


def blackman(M: int) -> Array:  # noqa: N803
    """`M` points of 0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1)), in the default float type.

    Raises:
        ArgumentError: M is no integer, or negative, for which NumPy's window is empty.

    Example:
        >>> print(abs(blackman(5)).round(2))
        [0.   0.34 1.   0.34 0.  ]
    """
    return _samples("blackman", np.blackman, M)


def hamming(M: int) -> Array:  # noqa: N803
    """`M` points of 0.54 - 0.46 cos(2 pi n / (M - 1)), in the default float type; a single point is 1.

    Raises:
        ArgumentError: M is no integer, or negative, for which NumPy's window is empty.

    Example:
        >>> print(hamming(5).round(2))
        [0.08 0.54 1.   0.54 0.08]
    """
    return _samples("hamming", np.hamming, M)


def hanning(M: int) -> Array:  # noqa: N803
    """`M` points of 0.5 - 0.5 cos(2 pi n / (M - 1)), in the default float type; a single point is 1.

    Raises:
        ArgumentError: M is no integer, or negative, for which NumPy's window is empty.

    Example:
        >>> print(hanning(5).round(2))
        [0.  0.5 1.  0.5 0. ]
    """
    return _samples("hanning", np.hanning, M)


def kaiser(M: int, beta: ArrayLike) -> Array:  # noqa: N803
    """`M` points of I0(beta sqrt(1 - r**2)) / I0(beta) for r from -1 to 1; a single one is 1.

    I0 is the modified Bessel function of order 0. Both are computed divided by their exponential growth, so no `beta`
    is too great, where NumPy's window is NaN from 711 on.

    Raises:
        ArgumentError: M is no integer, or negative, for which NumPy's window is empty.
        ShapeError: beta is no scalar.
        DTypeError: beta is complex.

    Example:
        >>> print(kaiser(5, 3.0).round(3))
        [0.205 0.727 1.    0.727 0.205]
    """
    count = integer("kaiser", "M", M)
    given = coerce("kaiser", 1, beta)
    if given.shape:
        raise ShapeError(f"kaiser: beta must be a scalar, got shape {given.shape}")
    if is_complex(given.dtype):
        raise DTypeError("kaiser: beta is complex, but must be real")
    dtype = default_dtype(float)
    if count < 2:
        return _samples("kaiser", np.ones, M)
    with allocating():
        ratio = np.linspace(-1.0, 1.0, count)
        height = made(np.sqrt((1 - ratio) * (1 + ratio)).astype(dtype))
    width = ops.abs(array_of(converted(given, dtype)))
    inner = ops.multiply(width, height)
    growth = ops.exponential(ops.subtract(inner, width))
    return ops.divide(ops.multiply(growth, ops.bessel_i0e(inner)), ops.bessel_i0e(width))

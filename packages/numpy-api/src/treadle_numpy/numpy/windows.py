"""Windows that samples are weighted with before a Fourier transform, made by NumPy: constants of the program."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from treadle_ir import ArgumentError, Array, allocating, default_dtype, integer
from treadle_numpy.operands.arrays import Elements, made

__all__ = ["bartlett", "blackman", "hamming", "hanning"]


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

"""Windows that samples are weighted with before a Fourier transform.

Short ones are NumPy's, as constants of the program; of long ones the program computes the points. Kaiser's has a
parameter that may be traced, and a derivative by it.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import allocating, integer
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.operands.arrays import Elements, array_of, made
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.promote import converted

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]

_WIDE: Final = np.dtype(np.float64)
_FEW: Final = 1 << 12  # points that are a constant


class _Window(Protocol):
    def __call__(self, M: int, /) -> Elements: ...  # noqa: N803 - NumPy's name


def _count(function: str, M: object) -> int:  # noqa: N803
    count = integer(function, "M", M)
    if count < 0:
        raise ArgumentError(f"{function}: M is {count}, but must not be negative")
    return count


def _samples(window: _Window, count: int) -> Array:
    with allocating():
        return made(np.asarray(window(count), default_dtype(float)))


def _first_half(count: int) -> Array:
    """0, 1, 2, ... up to the middle of the points."""
    return ops.iota(shape=(-(-count // 2),), dimension=0, dtype=_WIDE)


@composed
def _mirrored(first: Array, count: int) -> Array:
    """Return all points, of which the first half is given."""
    rest = ops.reverse(slice_along(first, 0, 0, count // 2), dimensions=(0,))
    return ops.concatenate([first, rest], dimension=0)


def _cosines(count: int) -> Array:
    """cos(2 pi n / (count - 1)) for the first half of many points.

    By the addition theorem for n = row * width + column: few cosines are computed, and products of them.
    """
    half = -(-count // 2)
    width = 1 << (half.bit_length() // 2)
    shape = (-(-half // width), width)
    turn = 2 * np.pi / (count - 1)
    parts = []
    for axis, step in enumerate((turn * width, turn)):
        angles = step * np.arange(shape[axis])
        parts += [
            ops.broadcast_in_dim(each, shape=shape, dimensions=(axis,))
            for each in (np.cos(angles), np.sin(angles))
        ]
    cosine, sine, cosine_within, sine_within = parts
    grid = ops.subtract(ops.multiply(cosine, cosine_within), ops.multiply(sine, sine_within))
    return slice_along(ops.reshape(grid, shape=(shape[0] * width,)), 0, 0, half)


def _rounded(window: Array) -> Array:
    return ops.convert(window, dtype=default_dtype(float))


def _of_cosines(constant: float, factor: float, square: float, count: int) -> Array:
    """Compute `constant + factor c + square c**2`, c being the cosines."""
    cosines = _cosines(count)
    inner = ops.add(ops.multiply(cosines, np.float64(square)), np.float64(factor))
    window = ops.add(ops.multiply(cosines, inner), np.float64(constant))
    return _mirrored(_rounded(window), count)


@composed
def bartlett(M: int) -> Array:  # noqa: N803 - NumPy's name
    """Return a triangle of `M` points from 0 to 1 and back to 0, in the default float type; a single point is 1.

    Raises:
        ArgumentError: M is not an integer, or negative, for which NumPy's window is empty.

    Example:
        >>> print(bartlett(5))
        [0.  0.5 1.  0.5 0. ]
    """
    count = _count("bartlett", M)
    if count <= _FEW:
        return _samples(np.bartlett, count)
    rising = ops.multiply(_first_half(count), np.float64(2 / (count - 1)))
    return _mirrored(_rounded(rising), count)


@composed
def blackman(M: int) -> Array:  # noqa: N803
    """Return `M` points of 0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1)), in the default float type.

    Raises:
        ArgumentError: M is not an integer, or negative, for which NumPy's window is empty.

    Example:
        >>> print(abs(blackman(5)).round(2))
        [0.   0.34 1.   0.34 0.  ]
    """
    count = _count("blackman", M)
    return _samples(np.blackman, count) if count <= _FEW else _of_cosines(0.34, -0.5, 0.16, count)


@composed
def hamming(M: int) -> Array:  # noqa: N803
    """Return `M` points of 0.54 - 0.46 cos(2 pi n / (M - 1)), in the default float type; a single point is 1.

    Raises:
        ArgumentError: M is not an integer, or negative, for which NumPy's window is empty.

    Example:
        >>> print(hamming(5).round(2))
        [0.08 0.54 1.   0.54 0.08]
    """
    count = _count("hamming", M)
    return _samples(np.hamming, count) if count <= _FEW else _of_cosines(0.54, -0.46, 0.0, count)


@composed
def hanning(M: int) -> Array:  # noqa: N803
    """Return `M` points of 0.5 - 0.5 cos(2 pi n / (M - 1)), in the default float type; a single point is 1.

    Raises:
        ArgumentError: M is not an integer, or negative, for which NumPy's window is empty.

    Example:
        >>> print(hanning(5).round(2))
        [0.  0.5 1.  0.5 0. ]
    """
    count = _count("hanning", M)
    return _samples(np.hanning, count) if count <= _FEW else _of_cosines(0.5, -0.5, 0.0, count)


def kaiser(M: int, beta: ArrayLike) -> Array:  # noqa: N803
    """Return `M` points of I0(beta sqrt(1 - r**2)) / I0(beta) for r from -1 to 1; a single one is 1.

    I0 is the modified Bessel function of order 0. Both are computed divided by their exponential growth, so no `beta`
    is too great, where NumPy's window is NaN from 711 on.

    Raises:
        ArgumentError: M is not an integer, or negative, for which NumPy's window is empty.
        ShapeError: beta is not a scalar.
        DTypeError: beta is complex.

    Example:
        >>> print(kaiser(5, 3.0).round(3))
        [0.205 0.727 1.    0.727 0.205]
    """
    count = _count("kaiser", M)
    given = coerce("kaiser", 1, beta)
    if given.shape:
        raise ShapeError(f"kaiser: beta must be a scalar, got shape {given.shape}")
    if is_complex(given.dtype):
        raise DTypeError("kaiser: beta is complex, but must be real")
    dtype = default_dtype(float)
    if count < 2:
        return _samples(np.ones, count)
    # Apart, without jit: in one program XLA would compute each point twice.
    return _mirrored(_rising_kaiser(array_of(converted(given, dtype)), count), count)


@composed
def _rising_kaiser(beta: Array, count: int) -> Array:
    """Return the first half of Kaiser's window."""
    before = _first_half(count)
    after = ops.subtract(np.float64(count - 1), before)
    root = ops.sqrt(ops.multiply(before, after))
    height = _rounded(ops.multiply(root, np.float64(2 / (count - 1))))
    width = ops.abs(beta)
    inner = ops.multiply(width, height)
    growth = ops.exponential(ops.subtract(inner, width))
    return ops.divide(ops.multiply(growth, ops.bessel_i0e(inner)), ops.bessel_i0e(width))

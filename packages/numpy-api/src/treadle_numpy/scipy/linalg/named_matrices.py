"""Matrices that have names and depend on their size alone: computed by NumPy, in whole numbers where they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle_ir import ArgumentError, Array, allocating, composed, flags, names, shown
from treadle_ir.dtypes import is_complex
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import as_index

__all__ = ["dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"]


def _size(name: str, n: int) -> int:
    size = as_index(name, "n", n)
    if size < 0:
        raise ArgumentError(f"{name}: n is {size}, but must not be negative")
    with allocating():  # asked for at once, where it costs nothing yet
        np.empty((size, size), np.complex128)
    return size


def _floats(name: str, elements: Any, dtype: DTypeLike | None = None) -> Array:
    chosen = as_dtype(name, float) if dtype is None else as_dtype(name, dtype)
    return array_from(name, np.asarray(elements), chosen)


def _from_whole(name: str, n: int, element: Callable[[int, int], int]) -> Array:
    """Whole numbers of any size, rounded once; infinite where they are too great."""
    made = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            try:
                made[i, j] = element(i, j)
            except OverflowError:
                made[i, j] = math.inf if element(i, j) > 0 else -math.inf
    return _floats(name, made)


@composed
def dft(n: int, scale: str | None = None, *, dtype: DTypeLike | None = None) -> Array:
    """The matrix of the discrete Fourier transform: `m @ x` is the transform of x.

    `scale` divides by n (`n`) or by its root (`sqrtn`).

    Raises:
        ArgumentError: there is no such scale, or the element type is not complex.

    Example:
        >>> print(dft(2).real)
        [[ 1.  1.]
         [ 1. -1.]]
    """
    size = _size("dft", n)
    names("dft", scale=scale)
    if scale not in (None, "sqrtn", "n"):
        raise ArgumentError(f"dft: scale must be None, 'sqrtn', or 'n'; got {shown(scale)}")
    chosen = as_dtype("dft", complex if dtype is None else dtype)
    if not is_complex(chosen):
        raise ArgumentError(f"dft: dtype must be a complex floating-point type; got {chosen}")
    places = np.arange(size)
    turns = np.outer(places, places) % max(size, 1) / max(size, 1)
    matrix = np.exp(-2j * np.pi * turns)
    divisor = {None: 1.0, "n": float(size), "sqrtn": math.sqrt(size)}[scale]
    return array_from("dft", matrix / (divisor or 1.0), chosen)


@composed
def hadamard(n: int, dtype: DTypeLike = int) -> Array:
    """Hadamard's matrix, of 1 and -1 in rows that are orthogonal, for a power of 2; by Sylvester's construction.

    Raises:
        ArgumentError: `n` is no power of 2.

    Example:
        >>> print(hadamard(2))
        [[ 1  1]
         [ 1 -1]]
    """
    size = _size("hadamard", n)
    if size < 1 or size & (size - 1):
        raise ArgumentError(f"hadamard: n must be a positive power of 2; got {size}.")
    places = np.arange(size)
    odd = np.bitwise_count(places[:, None] & places) & 1
    return array_from("hadamard", np.where(odd, -1, 1), as_dtype("hadamard", dtype))


@composed
def helmert(n: int, full: bool = False) -> Array:
    """Helmert's matrix: orthonormal rows, the first of them, which is constant, only if `full`.

    Example:
        >>> print(helmert(2, full=True).round(4))
        [[ 0.7071  0.7071]
         [ 0.7071 -0.7071]]
    """
    flags("helmert", full=full)
    size = _size("helmert", n)
    matrix = np.tril(np.ones((size, size)), -1) - np.diag(np.arange(float(size)))
    matrix[:1] = 1
    counts = np.arange(float(size))
    squares = counts * (counts + 1)
    squares[:1] = size
    matrix = matrix / np.sqrt(squares)[:, None]
    return _floats("helmert", matrix if full else matrix[1:])


@composed
def hilbert(n: int) -> Array:
    """Hilbert's matrix, `1 / (i + j + 1)`.

    Example:
        >>> print(hilbert(2))
        [[1.         0.5       ]
         [0.5        0.33333334]]
    """
    places = np.arange(float(_size("hilbert", n)))
    return _floats("hilbert", 1.0 / (places[:, None] + places + 1))


@composed
def invhilbert(n: int) -> Array:
    """The inverse of Hilbert's matrix, of whole numbers.

    Example:
        >>> print(invhilbert(2))
        [[ 4. -6.]
         [-6. 12.]]
    """
    size = _size("invhilbert", n)

    def element(i: int, j: int) -> int:
        product = math.comb(size + i, size - j - 1) * math.comb(size + j, size - i - 1)
        return int((-1) ** (i + j) * (i + j + 1) * product * math.comb(i + j, i) ** 2)

    return _from_whole("invhilbert", size, element)


def _kind(name: str, kind: str | None) -> str:
    names(name, kind=kind)
    chosen = "symmetric" if kind is None else kind
    if chosen not in ("symmetric", "lower", "upper"):
        raise ArgumentError(
            f"{name}: kind must be one of 'symmetric', 'lower', 'upper'; got {shown(kind)}"
        )
    return chosen


@composed
def pascal(n: int, kind: str | None = None) -> Array:
    """Pascal's matrix of binomial coefficients: symmetric, or one of its triangular factors.

    Raises:
        ArgumentError: there is no such kind.

    Example:
        >>> print(pascal(3))
        [[1. 1. 1.]
         [1. 2. 3.]
         [1. 3. 6.]]
    """
    size, chosen = _size("pascal", n), _kind("pascal", kind)

    def element(i: int, j: int) -> int:
        if chosen == "symmetric":
            return math.comb(i + j, i)
        return math.comb(i, j) if chosen == "lower" else math.comb(j, i)

    return _from_whole("pascal", size, element)


@composed
def invpascal(n: int, kind: str | None = None) -> Array:
    """The inverse of Pascal's matrix, of whole numbers.

    Raises:
        ArgumentError: there is no such kind.

    Example:
        >>> print(invpascal(2))
        [[ 2. -1.]
         [-1.  1.]]
    """
    size, chosen = _size("invpascal", n), _kind("invpascal", kind)

    def element(i: int, j: int) -> int:
        sign = -1 if (i + j) % 2 else 1
        if chosen == "lower":
            return sign * math.comb(i, j)
        if chosen == "upper":
            return sign * math.comb(j, i)
        return sign * sum(math.comb(k, i) * math.comb(k, j) for k in range(max(i, j), size))

    return _from_whole("invpascal", size, element)

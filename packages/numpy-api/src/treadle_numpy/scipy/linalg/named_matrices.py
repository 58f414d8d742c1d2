"""Matrices that have names and depend on their size alone.

Those that may be large are programs of a few operations; what grows too fast for that is computed by NumPy, in whole
numbers where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from treadle_ir import ArgumentError, Array, DType, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import allocating, flags, names, shown
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.taking import take
from treadle_numpy.operands.arrays import made
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.scalars import zero_like
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import as_index

__all__ = ["dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"]

_MOST_SQUARED: Final = 46_340  # rows whose products fit into an i32


def _size(name: str, n: int) -> int:
    size = as_index(name, "n", n)
    if size < 0:
        raise ArgumentError(f"{name}: n is {size}, but must not be negative")
    with allocating():  # asked for at once, where it costs nothing yet
        np.empty((size, size), np.complex128)
    return size


def _places(size: int, dtype: DType) -> tuple[Array, Array]:
    """Return the row and the column of each element of a square matrix."""
    row, column = [ops.iota(shape=(size, size), dimension=i, dtype=dtype) for i in (0, 1)]
    return row, column


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
    with np.errstate(over="ignore"):
        return _floats(name, made)


@composed
def dft(n: int, scale: str | None = None, *, dtype: DTypeLike | None = None) -> Array:
    """Return the matrix of the discrete Fourier transform: `m @ x` is the transform of x.

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
    count = max(size, 1)
    roots = np.exp(-2j * np.pi * (np.arange(count) / count))
    divisor = {None: 1.0, "n": float(size), "sqrtn": math.sqrt(size)}[scale]
    row, column = _places(size, np.dtype(np.int32 if size <= _MOST_SQUARED else np.int64))
    powers = ops.remainder(ops.multiply(row, column), row.dtype.type(count))
    return take(made((roots / (divisor or 1.0)).astype(chosen)), powers, mode="clip")


@composed
def hadamard(n: int, dtype: DTypeLike = int) -> Array:
    """Hadamard's matrix, of 1 and -1 in rows that are orthogonal, for a power of 2; by Sylvester's construction.

    Raises:
        ArgumentError: `n` is not a power of 2.

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
    counts = np.arange(float(size))
    squares = counts * (counts + 1)
    squares[:1] = size
    scales = 1 / np.sqrt(squares)
    below, diagonal = [
        _floats("helmert", each) for each in (scales, np.where(counts, -counts * scales, scales))
    ]
    row, column = _places(size, np.dtype(np.int32))
    spread = [
        ops.broadcast_in_dim(each, shape=(size, size), dimensions=(0,))
        for each in (below, diagonal)
    ]
    first = ops.compare(row, np.int32(0), direction="eq")
    filled = ops.or_(first, ops.compare(column, row, direction="lt"))
    beneath = ops.select(filled, spread[0], zero_like(below))
    matrix = ops.select(ops.compare(column, row, direction="eq"), spread[1], beneath)
    return matrix if full else slice_along(matrix, 0, min(size, 1), size)


@composed
def hilbert(n: int) -> Array:
    """Hilbert's matrix, `1 / (i + j + 1)`.

    Example:
        >>> print(hilbert(2).round(4))
        [[1.     0.5   ]
         [0.5    0.3333]]
    """
    row, column = _places(_size("hilbert", n), np.dtype(np.int32))
    sums = ops.add(ops.add(row, column), np.int32(1))
    dtype = default_dtype(float)
    return ops.divide(dtype.type(1), ops.convert(sums, dtype=dtype))


@composed
def invhilbert(n: int) -> Array:
    """Return the inverse of Hilbert's matrix, of whole numbers.

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
    """Return the inverse of Pascal's matrix, of whole numbers.

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

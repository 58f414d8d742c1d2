"""Helpers whose syntax is indexing, and positions for it: index_exp, mgrid, r_, ix_, tril_indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, TypeVar, final, overload

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.core import default_dtype
from treadle_ir.errors import allocating, functions, integer, integer_or_none, refused
from treadle_numpy.numpy.creation.constant import ones
from treadle_numpy.numpy.creation.coordinates import meshgrid
from treadle_numpy.numpy.creation.ranges import arange, linspace
from treadle_numpy.numpy.dtypes.questions import result_type
from treadle_numpy.numpy.manipulation.joining import concatenate, stack
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.searching.finding import nonzero
from treadle_numpy.operands.arrays import Elements, array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import as_index

__all__ = [
    "c_",
    "diag_indices",
    "diag_indices_from",
    "index_exp",
    "ix_",
    "mask_indices",
    "mgrid",
    "ogrid",
    "r_",
    "s_",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
]

Item = TypeVar("Item")
Joined: TypeAlias = slice | ArrayLike | Sequence[ArrayLike]


@final
class IndexExpression:
    """`index_exp[a:b, ...]`: the index expression itself, as a tuple."""

    def __getitem__(self, item: object) -> tuple[object, ...]:
        return item if isinstance(item, tuple) else (item,)


@final
class SliceExpression:
    """`s_[a:b]`: the index expression itself."""

    def __getitem__(self, item: Item) -> Item:
        return item


index_exp: Final = IndexExpression()
s_: Final = SliceExpression()


def _vector(item: slice) -> Array:
    """Return the numbers that a slice in a grid names: `0:5`, `0:5:2`, or `0:1:5j` for five points up to the end."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, complex):
        return linspace(start, item.stop, int(abs(step)))
    return arange(start, item.stop, step)


@final
class DenseGrid:
    """`mgrid[0:2, 0:3]`: the coordinates of a grid, each for all of its points."""

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Array:
        if isinstance(key, slice):
            return _vector(key)
        return stack(meshgrid(*[_vector(item) for item in key], indexing="ij"))


@final
class OpenGrid:
    """`ogrid[0:2, 0:3]`: the coordinates of a grid, each along its own axis."""

    @overload
    def __getitem__(self, key: slice) -> Array: ...
    @overload
    def __getitem__(self, key: tuple[slice, ...]) -> list[Array]: ...
    def __getitem__(self, key: slice | tuple[slice, ...]) -> Array | list[Array]:
        if isinstance(key, slice):
            return _vector(key)
        vectors = [_vector(item) for item in key]
        if not vectors:
            return []
        joined = result_type(*vectors)
        return meshgrid(*[x.astype(joined) for x in vectors], indexing="ij", sparse=True)


mgrid: Final = DenseGrid()
ogrid: Final = OpenGrid()


@final
class Concatenator:
    """`r_[0:3, 5]` joins along the first axis, `c_[x, y]` vectors as columns.

    As with NumPy, a string in front says otherwise: `r_["-1,2,0", x, y]` joins along axis -1 operands that are
    extended to at least 2 axes, their own axes beginning at place 0. With "r" or "c", a vector that comes out is one
    row or one column.
    """

    def __init__(self, axis: int, least: int, place: int) -> None:
        self._numbers = axis, least, place

    def __getitem__(self, key: Joined | str | tuple[Joined | str, ...]) -> Array:
        items = key if isinstance(key, tuple) else (key,)
        numbers, matrix = self._numbers, ""
        if items and isinstance(items[0], str):
            word = items[0].strip()
            if word in ("r", "c"):
                matrix = word
            else:
                numbers = _directive(word, numbers)
            items = items[1:]
        axis, least, place = numbers
        parts = []
        for item in items:
            if isinstance(item, str):
                raise ArgumentError(
                    f"r_ and c_: the directive {item!r} does not stand in front",
                    fix="write it before what is joined: `r_['0,2', x, y]`",
                )
            part = _vector(item) if isinstance(item, slice) else array_from("r_", item, None)
            part = part if part.ndim else expand_dims(part, 0)
            parts.append(_with_axes(part, least, place))
        joined = concatenate(parts, axis)
        return (
            expand_dims(joined, -1 if matrix == "c" else 0)
            if matrix and joined.ndim == 1
            else joined
        )


def _directive(word: str, defaults: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the up to three numbers of a directive; those that it leaves out by default."""
    parts = word.split(",")
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        numbers = []
    if not numbers or len(numbers) > len(defaults):
        raise ArgumentError(
            f"r_ and c_: could not understand directive {word!r}",
            fix="use 'r', 'c', or up to three integers: the axis, how many axes at least, and where they begin",
        )
    axis, least, place = (*numbers, *defaults[len(numbers) :])
    return axis, least, place


def _with_axes(part: Array, least: int, place: int) -> Array:
    """Return the part with axes of size 1 around its own, which begin at some place; from the end if it is negative."""
    more = least - part.ndim
    if more <= 0:
        return part
    before = min(max(place + more + 1 if place < 0 else place, 0), more)
    return expand_dims(part, (*range(before), *range(before + part.ndim, least)))


r_: Final = Concatenator(0, 1, -1)
c_: Final = Concatenator(-1, 2, 0)


_MOST_AXES: Final = 64  # as NumPy has it


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """Return the positions of the main diagonal.

    Raises:
        ArgumentError: `n` is negative, or `ndim` no number of axes.

    Example:
        >>> print(*diag_indices(2))
        [0 1] [0 1]
    """
    ndim = integer("diag_indices", "ndim", ndim)
    if not 0 <= ndim <= _MOST_AXES:
        raise refused("diag_indices", "ndim", f"0 to {_MOST_AXES}", ndim)
    size = as_index("diag_indices", "n", n)
    if size < 0:
        raise refused("diag_indices", "n", "a number of rows, 0 or more", n)
    return (arange(size),) * ndim


def diag_indices_from(arr: ArrayLike) -> tuple[Array, ...]:
    """Return the positions of the main diagonal of an array.

    Example:
        >>> print(*diag_indices_from(np.ones((2, 2))))
        [0 1] [0 1]
    """
    x = coerce_array("diag_indices_from", 0, arr)
    if x.ndim < 2:
        raise ShapeError(f"diag_indices_from: the array must have two axes or more, got {x.shape}")
    if len(set(x.shape)) > 1:
        raise ShapeError(f"diag_indices_from: all axes must have one size, got {x.shape}")
    return diag_indices(x.shape[0], x.ndim)


def _triangle(mask: Elements) -> tuple[Array, Array]:
    rows, columns = np.nonzero(mask)
    return array_from("indices", rows, default_dtype(int)), array_from(
        "indices", columns, default_dtype(int)
    )


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """Return the positions on and below a diagonal.

    Example:
        >>> print(*tril_indices(2))
        [0 1 1] [0 0 1]
    """
    n = integer("tril_indices", "n", n)
    k = integer("tril_indices", "k", k)
    m = integer_or_none("tril_indices", "m", m)
    with allocating():
        mask = np.tri(n, n if m is None else m, k, dtype=bool)
    return _triangle(mask)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """Return the positions on and above a diagonal.

    Example:
        >>> print(*triu_indices(2))
        [0 0 1] [0 1 1]
    """
    n = integer("triu_indices", "n", n)
    k = integer("triu_indices", "k", k)
    m = integer_or_none("triu_indices", "m", m)
    with allocating():
        mask = ~np.tri(n, n if m is None else m, k - 1, dtype=bool)
    return _triangle(mask)


def _matrix_shape(function: str, arr: ArrayLike) -> tuple[int, int]:
    shape = coerce_array(function, 0, arr).shape
    if len(shape) != 2:
        raise ShapeError(f"{function}: the array must have two axes, got {shape}")
    return shape[0], shape[1]


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """Return the positions on and below a diagonal of a matrix.

    Example:
        >>> print(*tril_indices_from(np.ones((2, 2))))
        [0 1 1] [0 0 1]
    """
    k = integer("tril_indices_from", "k", k)
    rows, columns = _matrix_shape("tril_indices_from", arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """Return the positions on and above a diagonal of a matrix.

    Example:
        >>> print(*triu_indices_from(np.ones((2, 2))))
        [0 0 1] [0 1 1]
    """
    k = integer("triu_indices_from", "k", k)
    rows, columns = _matrix_shape("triu_indices_from", arr)
    return triu_indices(rows, k, columns)


def ix_(*args: ArrayLike | Sequence[int] | Sequence[bool]) -> tuple[Array, ...]:
    """Vectors of positions as an open grid, for `x[ix_(rows, columns)]`.

    Raises:
        ShapeError: an argument is not a vector.

    Example:
        >>> print([x.shape for x in ix_(np.array([0, 2]), np.array([1]))])
        [(2, 1), (1, 1)]
    """
    vectors = [array_from("ix_", a, None) for a in args]
    for v in vectors:
        if v.ndim != 1:
            raise ShapeError(
                f"ix_: the positions along an axis must be a vector, got shape {v.shape}"
            )
    vectors = [
        array_of(np.nonzero(np.atleast_1d(np.asarray(v)))[0].astype(np.int32))
        if v.dtype == np.bool_
        else v
        for v in vectors
    ]
    return tuple(meshgrid(*vectors, indexing="ij", sparse=True))


def mask_indices(
    n: int, mask_func: Callable[[Array, int], ArrayLike], k: int = 0, *, size: int | None = None
) -> tuple[Array, Array]:
    """Return the positions in an n by n matrix that a function such as `triu` leaves, called with ones and `k`.

    Raises:
        ArgumentError: `n` or `k` is not an integer, or `mask_func` is not a function.
        ShapeError: the function does not return a matrix.

    Example:
        >>> from treadle_numpy.numpy import triu
        >>> print(*mask_indices(3, triu, 1))
        [0 0 1] [1 2 2]
    """
    functions("mask_indices", mask_func=mask_func)
    size = integer_or_none("mask_indices", "size", size)
    k = integer("mask_indices", "k", k)
    mask = coerce_array("mask_indices: the result of mask_func", 0, mask_func(ones((n, n)), k))
    if mask.ndim != 2:
        raise ShapeError(f"mask_indices: mask_func must return a matrix, got shape {mask.shape}")
    rows, columns = nonzero(mask, size=size)
    return rows, columns

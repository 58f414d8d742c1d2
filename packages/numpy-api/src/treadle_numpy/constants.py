"""Numbers with names, and helpers whose syntax is indexing: newaxis, index_exp, mgrid, r_."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from treadle_ir import Array, default_dtype
from treadle_numpy.coercion import array_from, array_of, as_index, coerce
from treadle_numpy.creation import arange, linspace, meshgrid
from treadle_numpy.manipulation import concatenate, expand_dims, stack

e: Final = np.e
euler_gamma: Final = np.euler_gamma
inf: Final = np.inf
nan: Final = np.nan
newaxis: Final = None
pi: Final = np.pi


@final
class IndexExpression:
    """`index_exp[a:b, ...]`: the index expression itself, as a tuple."""

    def __getitem__(self, item: Any) -> Any:
        return item if isinstance(item, tuple) else (item,)


@final
class SliceExpression:
    """`s_[a:b]`: the index expression itself."""

    def __getitem__(self, item: Any) -> Any:
        return item


index_exp: Final = IndexExpression()
s_: Final = SliceExpression()


def _vector(item: slice) -> Array:
    """The numbers that a slice in a grid names: `0:5`, `0:5:2`, or `0:1:5j` for five points up to the end."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, complex):
        result: Array = linspace(start, item.stop, int(abs(step)))
        return result
    return arange(start, item.stop, step)


@final
class Grid:
    """`mgrid[0:2, 0:3]` (dense) and `ogrid[0:2, 0:3]` (open): the coordinates of a grid."""

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _vector(key)
        parts = meshgrid(*[_vector(item) for item in key], indexing="ij", sparse=self._sparse)
        return list(parts) if self._sparse else stack(parts)


mgrid: Final = Grid(False)
ogrid: Final = Grid(True)


@final
class Concatenator:
    """`r_[0:3, 5]` joins along the first axis, `c_[x, y]` vectors as columns."""

    def __init__(self, columns: bool) -> None:
        self._columns = columns

    def __getitem__(self, key: Any) -> Array:
        parts = []
        for item in key if isinstance(key, tuple) else (key,):
            part = _vector(item) if isinstance(item, slice) else array_from("r_", item, None)
            part = part if part.ndim else expand_dims(part, 0)
            parts.append(expand_dims(part, -1) if self._columns and part.ndim == 1 else part)
        return concatenate(parts, -1 if self._columns else 0)


r_: Final = Concatenator(False)
c_: Final = Concatenator(True)


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The positions of the main diagonal."""
    return (arange(as_index("diag_indices", "n", n)),) * ndim


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    """The positions of the main diagonal of an array."""
    x = array_of(coerce("diag_indices_from", 0, arr))
    return diag_indices(x.shape[0], x.ndim)


def _triangle(mask: Any) -> tuple[Array, Array]:
    rows, columns = np.nonzero(mask)
    return array_from("indices", rows, default_dtype(int)), array_from(
        "indices", columns, default_dtype(int)
    )


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The positions on and below a diagonal."""
    return _triangle(np.tri(n, n if m is None else m, k, dtype=bool))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The positions on and above a diagonal."""
    return _triangle(~np.tri(n, n if m is None else m, k - 1, dtype=bool))


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, Array]:
    """The positions on and below a diagonal of a matrix."""
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, Array]:
    """The positions on and above a diagonal of a matrix."""
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def ix_(*args: Any) -> tuple[Array, ...]:
    """Vectors of positions as an open grid, for `x[ix_(rows, columns)]`."""
    vectors = [array_from("ix_", a, None) for a in args]
    vectors = [
        array_of(np.nonzero(np.asarray(v))[0].astype(np.int32)) if v.dtype == np.bool_ else v
        for v in vectors
    ]
    return meshgrid(*vectors, indexing="ij", sparse=True)

"""Sparse arrays from nothing: empty, the identity, random; and dense ones of any."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.bcsr import BCSR
from treadle.experimental.sparse.conversion import MOST, mapped, representable
from treadle.experimental.sparse.coo import COO
from treadle.experimental.sparse.csr import CSC, CSR
from treadle_ir import ArgumentError, Array
from treadle_ir.errors import (
    boundaries,
    element_type,
    flags,
    functions,
    integer,
    integers,
    names,
    number,
    refused,
)
from treadle_numpy import random

__all__ = ["empty", "eye", "random_bcoo", "todense"]

_FORMATS: Final[dict[str, Any]] = {"bcsr": BCSR, "coo": COO, "csc": CSC, "csr": CSR}


def todense(arr: Any) -> Array:
    """Return the dense array of a sparse one; of a dense one, itself.

    Example:
        >>> from treadle.experimental import sparse
        >>> print(sparse.todense(sparse.eye(2)))
        [[1. 0.]
         [0. 1.]]
    """
    return arr.todense() if isinstance(arr, JAXSparse) else tnp.asarray(arr)


def empty(
    shape: Sequence[int],
    dtype: Any = None,
    index_dtype: Any = "int32",
    sparse_format: str = "bcoo",
    **kwds: Any,
) -> Any:
    """Return an array in which nothing is stored: zeros. `n_batch`, `n_dense` and `nse` may be given for a BCOO.

    Raises:
        ArgumentError: an unknown format, or more batch and dense axes than there are.

    Example:
        >>> print(empty((2, 3)).todense())
        [[0. 0. 0.]
         [0. 0. 0.]]
    """
    sizes = integers("empty", "shape", shape)
    counts = {
        name: integer("empty", name, kwds.pop(name, 0)) for name in ("n_batch", "n_dense", "nse")
    }
    _no_more("empty", kwds)
    n, d, nse = counts.values()
    if min(n, d, nse) < 0 or n + d > len(sizes):
        raise ArgumentError(
            f"empty: n_batch={n}, n_dense={d} and nse={nse} do not fit shape {sizes}"
        )
    sparse = sizes[n : len(sizes) - d]
    data = tnp.zeros((*sizes[:n], nse, *sizes[len(sizes) - d :]), dtype)
    kind = _index_type("empty", index_dtype)
    representable("empty", sparse, kind)
    rows = np.broadcast_to(np.array(sparse, kind), (*sizes[:n], nse, len(sparse)))
    made = BCOO((data, rows), shape=sizes, indices_sorted=True, unique_indices=True)
    return _in_format("empty", made, sparse_format)


def eye(
    N: int,  # noqa: N803 - NumPy's name
    M: int | None = None,  # noqa: N803 - NumPy's name
    k: int = 0,
    dtype: Any = None,
    index_dtype: Any = "int32",
    sparse_format: str = "bcoo",
    **kwds: Any,
) -> Any:
    """Ones on a diagonal: the main one, or the one `k` places above it.

    Raises:
        ArgumentError: an unknown format, or a size that is negative.

    Example:
        >>> from treadle.experimental import sparse
        >>> sparse.eye(3, 4, k=1).indices.tolist()
        [[0, 1], [1, 2], [2, 3]]
    """
    _no_more("eye", kwds)
    rows = integer("eye", "N", N)
    columns = rows if M is None else integer("eye", "M", M)
    shift = integer("eye", "k", k)
    if min(rows, columns) < 0:
        raise ArgumentError(f"eye: sizes are {rows} and {columns}, but must not be negative")
    if max(rows, columns) >= 1 << 31:
        raise ArgumentError(f"eye: sizes are {rows} and {columns}, but must be below 2**31")
    if min(rows, columns) > MOST:
        raise ArgumentError(f"eye: {min(rows, columns)} elements would be stored, more than {MOST}")
    first = np.arange(max(0, -shift), max(max(0, -shift), min(rows, columns - shift)))
    kind = _index_type("eye", index_dtype)
    representable("eye", (rows, columns), kind)
    indices = np.stack([first, first + shift], -1).astype(kind)
    data = tnp.ones(len(first), dtype)
    made = BCOO((data, indices), shape=(rows, columns), indices_sorted=True, unique_indices=True)
    return _in_format("eye", made, sparse_format)


def random_bcoo(
    key: Array,
    shape: Sequence[int],
    *,
    dtype: Any = float,
    indices_dtype: Any = None,
    nse: Any = 0.2,
    n_batch: int = 0,
    n_dense: int = 0,
    unique_indices: bool = True,
    sorted_indices: bool = True,
    generator: Callable[..., Array] = random.uniform,
    **kwds: Any,
) -> BCOO:
    """Return an array with random elements at random places.

    `nse` is the number of stored elements of each batch element, or below 1, the part of them that is stored.
    `generator(key, shape=..., dtype=..., **kwds)` makes the elements.

    Raises:
        ArgumentError: `nse` is negative or more than there are elements, or there are not that many axes.

    Example:
        >>> from treadle import random
        >>> from treadle.experimental import sparse
        >>> sparse.random_bcoo(random.key(0), (4, 5), nse=0.2)
        BCOO(float32[4, 5], nse=4)
    """
    sizes = integers("random_bcoo", "shape", shape)
    n, d = integer("random_bcoo", "n_batch", n_batch), integer("random_bcoo", "n_dense", n_dense)
    if min(n, d) < 0 or n + d > len(sizes):
        raise ArgumentError(f"random_bcoo: n_batch={n} and n_dense={d} do not fit shape {sizes}")
    batch, sparse, dense = sizes[:n], sizes[n : len(sizes) - d], sizes[len(sizes) - d :]
    total = math.prod(sparse)
    flags("random_bcoo", unique_indices=unique_indices, sorted_indices=sorted_indices)
    functions("random_bcoo", generator=generator)
    asked = number("random_bcoo", "nse", nse)
    if not 0 <= asked <= MOST:
        raise refused("random_bcoo", "nse", "a number that is not negative", nse)
    count = math.ceil(asked * total) if asked < 1 else int(asked)
    if unique_indices and count > total:
        raise ArgumentError(f"random_bcoo: nse is {count}, but there are {total} places")
    of_data, of_places = random.split(key)
    kind = _index_type("random_bcoo", np.int32 if indices_dtype is None else indices_dtype)
    representable("random_bcoo", sparse, kind)
    if total >= 1 << 31:
        raise ArgumentError(
            f"random_bcoo: there are {total} places, 2**31 or more, of which none is drawn",
            fix="draw the indices of each axis with `treadle.random.randint`",
        )

    def places(key: Array) -> Array:
        if unique_indices:
            flat = (
                random.choice(key, total, (count,), replace=False) if total else tnp.zeros(0, int)
            )
        else:
            flat = random.randint(key, (count,), 0, max(total, 1))
        flat = tnp.sort(flat) if sorted_indices else flat
        columns = tnp.unravel_index(flat, sparse) if sparse else ()
        return tnp.stack(columns, -1).astype(kind) if columns else tnp.zeros((count, 0), kind)

    keys = random.split(of_places, batch) if batch else of_places
    indices = mapped(places, n)(keys)
    data = generator(of_data, shape=(*batch, count, *dense), dtype=dtype, **kwds)
    return BCOO(
        (data, indices), shape=sizes, indices_sorted=sorted_indices, unique_indices=unique_indices
    )


def _index_type(function: str, given: Any) -> np.dtype[Any]:
    kind = element_type(function, given)
    if kind.kind not in "iu":
        raise refused(function, "index_dtype", "an integer type", given)
    return kind


def _in_format(function: str, made: BCOO, name: str) -> Any:
    names(function, sparse_format=name)
    if name == "bcoo":
        return made
    found = _FORMATS.get(name)
    if found is None:
        raise ArgumentError(
            f"{function}: sparse_format is {name!r}, which is none",
            fix=f"use one of {', '.join(['bcoo', *_FORMATS])}",
        )
    return found.from_bcoo(made)


def _no_more(function: str, kwds: dict[str, Any]) -> None:
    if kwds:
        raise ArgumentError(f"{function}: unknown arguments {sorted(kwds)}")


boundaries(__name__)

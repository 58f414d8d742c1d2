"""The methods of `BCOO`: functions of modules that create such arrays, so the module of the class cannot import them.

`import treadle.experimental.sparse` adds them to the class.
"""

from __future__ import annotations

from abc import update_abstractmethods
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.arithmetic import added, divided, multiplied
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import bcoo_fromdense, bcoo_todense, from_scipy
from treadle.experimental.sparse.layouts import bcoo_update_layout
from treadle.experimental.sparse.lifted import indexed, matrix_product
from treadle.experimental.sparse.structure import (
    bcoo_reshape,
    bcoo_sort_indices,
    bcoo_sum_duplicates,
    bcoo_transpose,
    converted,
    map_zero_preserving,
    summed,
)
from treadle_ir import Array
from treadle_ir.errors import boundary, flags


def fromdense(
    cls: type[BCOO],
    mat: Any,
    *,
    nse: int | None = None,
    index_dtype: Any = np.int32,
    n_dense: int = 0,
    n_batch: int = 0,
) -> BCOO:
    """Return the elements of an array that are not zero; see `bcoo_fromdense`."""
    return bcoo_fromdense(mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype)


def from_scipy_sparse(
    cls: type[BCOO], mat: Any, *, index_dtype: Any = None, n_dense: int = 0, n_batch: int = 0
) -> BCOO:
    """Convert a matrix of `scipy.sparse`.

    Raises:
        ArgumentError: `mat` is not a matrix of `scipy.sparse`.
        UnsupportedError: `n_dense` or `n_batch` is not 0.
    """
    return from_scipy(mat, index_dtype, n_dense, n_batch)


def todense(self: BCOO) -> Array:
    """Return the array with all its elements; elements with equal indices are added."""
    return bcoo_todense(self)


def transpose(self: BCOO, axes: Sequence[int] | None = None) -> BCOO:
    """Permute the axes, or reverse them by default; see `bcoo_transpose`."""
    order = tuple(range(self.ndim))[::-1] if axes is None else axes
    return bcoo_transpose(self, permutation=order)


def sort_indices(self: BCOO) -> BCOO:
    """Sort the rows of indices, and the elements with them."""
    return bcoo_sort_indices(self)


def sum_duplicates(self: BCOO, nse: int | None = None, remove_zeros: bool = True) -> BCOO:
    """Add elements with equal indices; see `bcoo_sum_duplicates`. With `remove_zeros`, drop stored zeros."""
    flags("sum_duplicates", remove_zeros=remove_zeros)
    return bcoo_sum_duplicates(self, nse=nse, remove_zeros=remove_zeros)


def reshape(self: BCOO, *args: Any, **kwargs: Any) -> BCOO:
    """Return the same elements in another shape; see `bcoo_reshape`."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    return bcoo_reshape(self, new_sizes=sizes, **kwargs)


def update_layout(
    self: BCOO,
    *,
    n_batch: int | None = None,
    n_dense: int | None = None,
    on_inefficient: str | None = "error",
) -> BCOO:
    """Change the numbers of batch and dense axes; see `bcoo_update_layout`."""
    return bcoo_update_layout(self, n_batch=n_batch, n_dense=n_dense, on_inefficient=on_inefficient)


def sum(self: BCOO, axis: Any = None) -> Any:
    """Return the sum of the elements: a dense array over all axes, a sparse one over some."""
    return summed(self, axis)


def astype(self: BCOO, dtype: Any) -> BCOO:
    """Convert the elements to another dtype."""
    return converted(self, tnp.zeros(0, dtype).dtype)


def _power(self: BCOO, exponent: Any) -> BCOO:
    if not isinstance(exponent, (int, float, np.integer, np.floating)) or not exponent > 0:
        raise self._lacking("a power that is not a positive number")
    return map_zero_preserving(self, lambda x: x**exponent)


def _iterate(self: BCOO) -> Iterator[BCOO]:
    return (self[i] for i in range(len(self)))


_CLASS_METHODS: Final = (fromdense, from_scipy_sparse)
_METHODS: Final = (
    todense,
    transpose,
    sort_indices,
    sum_duplicates,
    reshape,
    update_layout,
    sum,
    astype,
)
_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "__neg__": lambda self: self.made(-self.data),
    "__abs__": lambda self: map_zero_preserving(self, tnp.abs),
    "__add__": added,
    "__radd__": added,
    "__sub__": lambda self, other: added(self, -other),
    "__rsub__": lambda self, other: added(-self, other),
    "__mul__": multiplied,
    "__rmul__": multiplied,
    "__truediv__": divided,
    "__pow__": _power,
    "__matmul__": matrix_product,
    "__rmatmul__": lambda self, other: matrix_product(other, self),
    "__getitem__": indexed,
    "__iter__": _iterate,
}


def _install() -> None:
    """Add the methods to the class."""
    for method in (*_CLASS_METHODS, *_METHODS):
        method.__module__, method.__qualname__ = BCOO.__module__, f"BCOO.{method.__name__}"
        setattr(
            BCOO,
            method.__name__,
            classmethod(boundary(method)) if method in _CLASS_METHODS else boundary(method),
        )
    for name, operator in _OPERATORS.items():
        setattr(BCOO, name, boundary(operator))
    update_abstractmethods(BCOO)


_install()

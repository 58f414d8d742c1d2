"""Sorting, and the positions that sort: all by the `sort` primitive, which puts NaN last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle_ir import ArgumentError, Array, Operand, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags, names, sequence
from treadle_numpy.indexing.positions import result_type
from treadle_numpy.lax.shapes import moved
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.lax.sorting import top_k as lax_top_k
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import as_index

__all__ = ["argpartition", "argsort", "lexsort", "partition", "sort", "sort_complex", "top_k"]


def _along(name: str, a: ArrayLike, axis: int | None) -> tuple[Array, int]:
    x = coerce_array(name, 0, a)
    if axis is None:
        return ravel(x), 0
    return x, as_axis(name, axis, x.ndim)


def _sorted(
    operands: Sequence[Operand], axis: int, keys: int = 1, stable: bool = True
) -> list[Array]:
    return ops.sort(operands, dimension=axis, num_keys=keys, stable=stable)


@composed
def sort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> Array:
    """Sort elements along an axis in ascending order; NaN comes last.

    Args:
        a: an array.
        axis: the axis; None means the flat array.
        kind: must be None.
        order: must be None.
        stable: whether equal elements keep their order; they always do.
        descending: whether to sort in descending order.

    Example:
        >>> print(sort(np.array([3, 1, 2], np.int32)))
        [1 2 3]
    """
    flags("sort", stable=stable, descending=descending)
    named_only("sort", kind=kind, order=order)
    x, along = _along("sort", a, axis)
    (result,) = _sorted([x], along, stable=stable)
    return ops.reverse(result, dimensions=(along,)) if descending else result


@composed
def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
    dtype: DTypeLike | None = None,
) -> Array:
    """Return the positions that sort elements along an axis in ascending order; NaN comes last.

    Args:
        a: an array.
        axis: the axis; None means the flat array.
        kind: must be None.
        order: must be None.
        stable: whether equal elements keep their order; they always do.
        descending: whether to sort in descending order.
        dtype: the integer dtype of the result; the default integer if None.

    Example:
        >>> print(argsort(np.array([3, 1, 2], np.int32)))
        [1 2 0]
    """
    flags("argsort", stable=stable, descending=descending)
    named_only("argsort", kind=kind, order=order)
    x, along = _along("argsort", a, axis)
    if descending:  # sorted backwards from the end, equal elements come out in their order again
        x = ops.reverse(x, dimensions=(along,))
    places = ops.iota(shape=x.shape, dtype=result_type("argsort", x.shape[along]), dimension=along)
    if descending:
        places = ops.reverse(places, dimensions=(along,))
    _, result = _sorted([x, places], along, stable=stable)
    result = ops.reverse(result, dimensions=(along,)) if descending else result
    return result if dtype is None else converted(result, as_dtype("argsort", dtype))


@composed
def lexsort(keys: Sequence[ArrayLike] | Array, axis: int = -1, *, batch_size: int = 16) -> Array:
    """Return the positions that sort by several keys, the last one first.

    One sort compares all keys, however many: `batch_size`, which bounds the time to compile elsewhere, changes
    nothing.

    Raises:
        ArgumentError: there are no keys, or they have different shapes.
        ArgumentError: `batch_size` is not positive.

    Example:
        >>> print(lexsort((np.array([1, 2, 0]), np.array([5, 4, 5]))))
        [1 2 0]
    """
    operands = [
        coerce_array("lexsort", i, key) for i, key in enumerate(sequence("lexsort", "keys", keys))
    ]
    if not operands:
        raise ArgumentError("need sequence of keys with len > 0 in lexsort")
    if as_index("lexsort", "batch_size", batch_size) < 1:
        raise ArgumentError(f"lexsort: batch_size must be positive, got {batch_size}")
    if len({x.shape for x in operands}) > 1:
        raise ArgumentError("all keys need to be the same shape")
    if not operands[0].ndim:
        return array_of(default_dtype(int).type(0))
    along = as_axis("lexsort", axis, operands[0].ndim)
    own = operands[0].shape
    places = ops.iota(shape=own, dtype=result_type("lexsort", own[along]), dimension=along)
    return _sorted([*reversed(operands), places], along, keys=len(operands))[-1]


@composed
def sort_complex(a: ArrayLike) -> Array:
    """Return the elements in ascending order along the last axis, as complex numbers.

    Example:
        >>> print(sort_complex(np.array([2 + 1j, 1 + 5j])))
        [1.+5.j 2.+1.j]
    """
    result = sort(a)
    if is_complex(result.dtype):
        return result
    return ops.convert(
        result, dtype=np.dtype(np.complex64 if result.dtype.itemsize < 8 else np.complex128)
    )


def _with_kth(name: str, a: ArrayLike, kth: int, axis: int) -> tuple[Array, int]:
    """Return the array and the axis, which has a position `kth`."""
    x, along = _along(name, a, axis)
    k = as_index(name, "kth", kth)
    if not -x.shape[along] <= k < x.shape[along]:
        raise ArgumentError(f"kth(={k}) out of bounds ({x.shape[along]})")
    return x, along


@composed
def partition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """Return the array with its k-th element where sorting would put it, the lesser ones before it.

    Raises:
        ArgumentError: the axis has no such position.

    Example:
        >>> print(partition(np.array([3, 1, 2]), 1))
        [1 2 3]
    """
    x, along = _with_kth("partition", a, kth, axis)
    return sort(x, along)


@composed
def argpartition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """Return the positions that `partition` would put the elements at.

    Raises:
        ArgumentError: the axis has no such position.

    Example:
        >>> print(argpartition(np.array([3, 1, 2]), 1))
        [1 2 0]
    """
    x, along = _with_kth("argpartition", a, kth, axis)
    return argsort(x, along)


def top_k(
    a: ArrayLike, k: int, /, *, axis: int = -1, mode: str = "largest", sorted: bool = True
) -> list[Array]:
    """Return the `k` greatest (or least, with mode="smallest") elements along an axis, and their positions.

    Raises:
        ArgumentError: `mode` is neither "largest" nor "smallest".
        ShapeError: there are not `k` elements along the axis.

    Example:
        >>> print(*top_k(np.array([1, 3, 2], np.int32), 2))
        [3 2] [1 2]
    """
    names("top_k", mode=mode)
    if mode not in ("largest", "smallest"):
        raise ArgumentError(f"top_k: mode must be 'largest' or 'smallest', got {mode!r}")
    if mode == "largest":
        return lax_top_k(a, k, axis=axis)
    x = coerce_array("top_k", 0, a)
    along = as_axis("top_k", axis, x.ndim)
    last = moved(x, along, -1)
    count = as_index("top_k", "k", k)
    if not 0 <= count <= last.shape[-1]:
        raise ShapeError(
            f"top_k: k is {count}, but must be between 0 and the size {last.shape[-1]} of axis {along} of "
            f"{operand_type(x)}"
        )
    whole = result_type("top_k", last.shape[-1])
    places = ops.iota(shape=last.shape, dtype=whole, dimension=last.ndim - 1)
    values, places = _sorted([last, places], last.ndim - 1)
    found = [slice_along(part, last.ndim - 1, 0, count) for part in (values, places)]
    return [moved(part, -1, along) for part in found]

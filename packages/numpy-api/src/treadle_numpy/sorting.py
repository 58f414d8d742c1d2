"""Sorting, and the positions that sort: all by the `sort` primitive, which puts NaN last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from treadle_ir import Array, default_dtype
from treadle_ir.dtypes import is_complex
from treadle_numpy.coercion import (
    ArrayLike,
    ValueArgumentError,
    array_of,
    as_axis,
    as_index,
    coerce,
    named_only,
    ops,
)
from treadle_numpy.manipulation import moveaxis, ravel


def _along(name: str, a: Any, axis: int | None) -> tuple[Array, int]:
    x = array_of(coerce(name, 0, a))
    if axis is None:
        return ravel(x), 0
    return x, as_axis(name, axis, x.ndim)


def _sorted(operands: Sequence[Any], axis: int, keys: int = 1, stable: bool = True) -> list[Array]:
    return list(ops.sort(list(operands), dimension=axis, num_keys=keys, stable=stable))


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> Array:
    """The elements in ascending order along an axis; NaN last.

    Example:
        >>> print(sort(np.array([3, 1, 2], np.int32)))
        [1 2 3]
    """
    named_only("sort", kind=kind, order=order)
    x, along = _along("sort", a, axis)
    (result,) = _sorted([x], along, stable=stable)
    return ops.reverse(result, dimensions=(along,)) if descending else result


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> Array:
    """The positions that put the elements in ascending order along an axis; equal ones keep their order.

    Example:
        >>> print(argsort(np.array([3, 1, 2], np.int32)))
        [1 2 0]
    """
    named_only("argsort", kind=kind, order=order)
    x, along = _along("argsort", a, axis)
    if descending:  # sorted backwards from the end, equal elements come out in their order again
        x = ops.reverse(x, dimensions=(along,))
    places = ops.iota(shape=x.shape, dtype=default_dtype(int), dimension=along)
    if descending:
        places = ops.reverse(places, dimensions=(along,))
    _, result = _sorted([x, places], along, stable=stable)
    return ops.reverse(result, dimensions=(along,)) if descending else result


def lexsort(keys: Any, axis: int = -1) -> Array:
    """The positions that sort by several keys, the last one first.

    Raises:
        ValueArgumentError: there are no keys, or they have different shapes.
    """
    operands = [array_of(coerce("lexsort", i, key)) for i, key in enumerate(keys)]
    if not operands:
        raise ValueArgumentError("need sequence of keys with len > 0 in lexsort")
    if len({x.shape for x in operands}) > 1:
        raise ValueArgumentError("all keys need to be the same shape")
    if not operands[0].ndim:
        return array_of(default_dtype(int).type(0))
    along = as_axis("lexsort", axis, operands[0].ndim)
    places = ops.iota(shape=operands[0].shape, dtype=default_dtype(int), dimension=along)
    return _sorted([*reversed(operands), places], along, keys=len(operands))[-1]


def sort_complex(a: ArrayLike) -> Array:
    """The elements in ascending order along the last axis, as complex numbers."""
    result = sort(a)
    if is_complex(result.dtype):
        return result
    return ops.convert(
        result, dtype=np.dtype(np.complex64 if result.dtype.itemsize < 8 else np.complex128)
    )


def _with_kth(name: str, a: Any, kth: Any, axis: int) -> tuple[Array, int]:
    """The array and the axis, which has a position `kth`."""
    x, along = _along(name, a, axis)
    k = as_index(name, "kth", kth)
    if not -x.shape[along] <= k < x.shape[along]:
        raise ValueArgumentError(f"kth(={k}) out of bounds ({x.shape[along]})")
    return x, along


def partition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """The array with its k-th element where sorting would put it, the lesser ones before it.

    Raises:
        ValueArgumentError: the axis has no such position.
    """
    x, along = _with_kth("partition", a, kth, axis)
    return sort(x, along)


def argpartition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """The positions that `partition` would put the elements at.

    Raises:
        ValueArgumentError: the axis has no such position.
    """
    x, along = _with_kth("argpartition", a, kth, axis)
    return argsort(x, along)


def top_k(
    a: ArrayLike, k: int, /, *, axis: int = -1, mode: str = "largest", sorted: bool = True
) -> tuple[Array, Array]:
    """The `k` greatest (or least, with mode="smallest") elements along an axis, and their positions.

    Raises:
        ValueArgumentError: `mode` is neither "largest" nor "smallest".

    Example:
        >>> print(*top_k(np.array([1, 3, 2], np.int32), 2))
        [3 2] [1 2]
    """
    x = array_of(coerce("top_k", 0, a))
    if mode not in ("largest", "smallest"):
        raise ValueArgumentError(f"top_k: mode must be 'largest' or 'smallest', got {mode!r}")
    along = as_axis("top_k", axis, x.ndim)
    last = moveaxis(x, along, -1)
    if mode == "smallest":
        count = as_index("top_k", "k", k)
        places = ops.iota(shape=last.shape, dtype=default_dtype(int), dimension=last.ndim - 1)
        values, places = _sorted([last, places], last.ndim - 1)
        limit = (*last.shape[:-1], count)
        start, strides = (0,) * last.ndim, (1,) * last.ndim
        found = (
            ops.slice(values, start=start, limit=limit, strides=strides),
            ops.slice(places, start=start, limit=limit, strides=strides),
        )
    else:
        first, second = cast("Any", ops.top_k)(last, k=as_index("top_k", "k", k))
        found = first, second
    return moveaxis(found[0], -1, along), moveaxis(found[1], -1, along)

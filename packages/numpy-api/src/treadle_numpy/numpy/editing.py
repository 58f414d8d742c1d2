"""Elements put in and taken out: insert, delete, trim_zeros.

The sizes of the results follow from sizes and positions alone, except with `trim_zeros` and repeated positions.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_bool, is_integer
from treadle_ir.errors import ConcretizationError, IndexingError, flags, names, refused
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.indexing.positions import index_vectors, wrapped
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.shapes import ravel, reshape
from treadle_numpy.numpy.reductions.running import cumsum
from treadle_numpy.numpy.sorting import argsort
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import add, subtract
from treadle_numpy.operands.arrays import Elements, array_of, filled
from treadle_numpy.operands.axes import Axis, as_axis, sorted_axes
from treadle_numpy.operands.coerce import (
    ArrayLike,
    coerce,
    coerce_array,
    host_elements,
    operand_type,
)
from treadle_numpy.operands.scalars import truth
from treadle_numpy.operands.shapes import as_index

__all__ = ["delete", "insert", "trim_zeros"]

Places: TypeAlias = ArrayLike | slice

FEW_PARTS: Final = 8
"""As many slices at most are joined; beyond, the places that are known become the indices of a gather."""


def delete(
    arr: ArrayLike, obj: Places, axis: int | None = None, *, assume_unique_indices: bool = False
) -> Array:
    """Return the array without the parts at some positions along an axis; of the flat array by default.

    `obj` is a position, an array of positions, a mask, or a slice. With `assume_unique_indices` the positions may be
    traced: they promise to be distinct, so that the size of the result is known; those out of range take parts out
    as if they were the last.

    Raises:
        IndexingError: a position is out of range, or a mask does not have one element for each place.
        DTypeError: positions are neither integers nor booleans.
        ConcretizationError: positions are traced, without `assume_unique_indices`.

    Example:
        >>> print(delete(np.array([10, 20, 30, 40]), np.array([0, -1])))
        [20 30]
    """
    flags("delete", assume_unique_indices=assume_unique_indices)
    x, along = _flat_or_along("delete", arr, axis)
    size = x.shape[along]
    if isinstance(obj, slice):
        return _without(x, along, np.arange(size)[_known_slice("delete", obj)])
    given = coerce("delete", 1, obj)
    type = operand_type(given)
    if is_bool(type.dtype):
        mask = concrete_mask("delete", given, "pass known positions").ravel()
        if mask.size != size:
            raise IndexingError(
                f"delete: a mask must have one element for each place, got {mask.size} for {size}"
            )
        return _without(x, along, np.flatnonzero(mask))
    if not is_integer(type.dtype):
        raise DTypeError(f"delete: positions must be integers, got {type}")
    known = host_elements(given)
    if known is not None and not assume_unique_indices:
        places = known.ravel()
        outside = places[(places < -size) | (places >= size)]
        if outside.size:
            raise IndexingError(
                f"delete: position {outside[0]} is out of bounds for axis {along} of size {size}",
                fix=f"positions are {-size} to {size - 1}" if size else "the axis is empty",
            )
        return _without(x, along, places.astype(np.int64))
    if not assume_unique_indices:
        raise ConcretizationError(
            f"delete: the positions are traced, of type {type}: how many are distinct says the size",
            fix="pass assume_unique_indices=True where they are",
        )
    return take(x, _kept_places(array_of(given), size), along, mode="clip")


def _without(x: Array, along: int, taken: Elements) -> Array:
    """Return the array without the positions `taken` along an axis."""
    size = x.shape[along]
    gone = np.unique(np.where(taken < 0, taken + size, taken))
    starts, stops = np.append(0, gone + 1), np.append(gone, size)
    runs = np.flatnonzero(starts < stops)
    if runs.size > FEW_PARTS:
        return take(x, np.delete(np.arange(size), gone), along)
    parts = [slice_along(x, along, int(starts[i]), int(stops[i])) for i in runs]
    return concatenate(parts, along) if parts else slice_along(x, along, 0, 0)


def _kept_places(positions: Array, size: int) -> Array:
    """Return the places that distinct positions leave, as many as there must be, ascending."""
    whole = default_dtype(int)
    flat = wrapped(ravel(positions), size)
    places = array_of(ops.clamp(whole.type(0), flat, whole.type(max(size - 1, 0))))
    taken = _marked(places, size)
    order = argsort(taken, stable=True)  # those that stay come first
    return slice_along(order, 0, 0, max(size - places.size, 0))


def _marked(places: Array, size: int) -> Array:
    """Return which of so many places are among some."""
    return array_of(
        ops.scatter(
            filled((size,), np.bool_(False)),
            index_vectors([places], places.shape),
            filled(places.shape, np.bool_(True)),
            update_window_dims=(),
            inserted_window_dims=(0,),
            scatter_dims_to_operand_dims=(0,),
            mode="fill",
        )
    )


def insert(arr: ArrayLike, obj: Places, values: ArrayLike, axis: int | None = None) -> Array:
    """Return the array with values put in before some positions along an axis; into the flat array by default.

    `obj` is a position, a vector of positions in the array as it was, or a slice. Values are broadcast to the places
    and take the element type of the array.

    Differs from NumPy: positions out of range are taken for the first or the last.

    Raises:
        DTypeError: positions are not integers.
        ShapeError: the positions are not a vector, or the values do not broadcast to the places.

    Example:
        >>> print(insert(np.array([1, 2, 3]), np.array([0, 2]), np.array([8, 9])))
        [8 1 2 9 3]
    """
    x, along = _flat_or_along("insert", arr, axis)
    size = x.shape[along]
    new = ops.convert(coerce_array("insert", 2, values), dtype=x.dtype, weak=operand_type(x).weak)
    if isinstance(obj, slice):
        obj = np.arange(size)[_known_slice("insert", obj)]
    given = coerce("insert", 1, obj)
    type = operand_type(given)
    if not is_integer(type.dtype):
        raise DTypeError(f"insert: positions must be integers, got {type}")
    if type.ndim > 1:
        raise ArgumentError(f"insert: positions must be one or a vector, got shape {type.shape}")
    if not type.ndim and new.ndim:
        new = moveaxis(reshape(new, (1,) * (x.ndim - new.ndim) + new.shape), 0, along)
    count = type.size
    if not type.ndim and new.ndim:
        count = new.shape[along]
    shape = tuple([count if i == along else n for i, n in enumerate(x.shape)])
    new = broadcast_to(new, shape)
    known = host_elements(given)
    if known is None:
        order = _merged(array_of(given), size, count)
        return take(concatenate([x, new], along), order, along, mode="clip")
    flat = known.ravel().astype(np.int64)
    starts = np.broadcast_to(np.clip(np.where(flat < 0, flat + size, flat), 0, size), (count,))
    return _with(x, along, starts, new)


def _with(x: Array, along: int, starts: Elements, new: Array) -> Array:
    """Return the array with each new part before the old one at its place."""
    if not starts.size:
        return x
    order = np.argsort(starts, stable=True)
    cuts, firsts = np.unique(starts[order], return_index=True)
    if cuts.size > FEW_PARTS:
        # Old parts have the odd numbers for keys, new ones the even numbers below; equal keys stay in their order.
        keys = np.concatenate([2 * np.arange(x.shape[along]) + 1, 2 * starts])
        return take(concatenate([x, new], along), np.argsort(keys, stable=True), along, mode="clip")
    if (np.diff(order) < 0).any():
        new = take(new, order, along)
    olds = zip([0, *cuts.tolist()], [*cuts.tolist(), x.shape[along]], strict=True)
    news = zip(firsts.tolist(), [*firsts.tolist()[1:], starts.size], strict=True)
    parts = [slice_along(x, along, *next(olds))]
    for (first, last), (start, stop) in zip(news, olds, strict=True):
        parts += [slice_along(new, along, first, last), slice_along(x, along, start, stop)]
    return concatenate(parts, along)


def _merged(positions: Array, size: int, count: int) -> Array:
    """The order of old parts and new ones behind them: each new one before the old one at its traced position."""
    whole = default_dtype(int)
    places = ops.clamp(whole.type(0), wrapped(ravel(positions), size), whole.type(size))
    starts = broadcast_to(places, (count,))
    order = argsort(starts, stable=True)
    # The k-th of the new parts lies behind k others.
    slots = add(take(starts, order), ops.iota(shape=(count,), dtype=whole, dimension=0))
    taken = _marked(slots, size + count)
    before = cumsum(taken, dtype=whole)
    every = ops.iota(shape=(size + count,), dtype=whole, dimension=0)
    ours = add(take(order, subtract(before, whole.type(1)), mode="clip"), whole.type(size))
    return array_of(ops.select(taken, ours, subtract(every, before)))


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axis = None) -> Array:
    """Return the array without the zeros at its ends: at the front ("f"), at the back ("b"), or at both.

    Along each of several axes (all by default), the smallest range is kept outside of which all is zero.

    Raises:
        ConcretizationError: the array is traced: the size of the result depends on its elements.
        AxisError: there is no such axis.

    Example:
        >>> print(trim_zeros(np.array([0, 0, 1, 0, 2, 0])))
        [1 0 2]
    """
    names("trim_zeros", trim=trim)
    x = coerce_array("trim_zeros", 0, filt)
    axes = sorted_axes("trim_zeros", axis, x.ndim)
    mask = concrete_mask("trim_zeros", truth("trim_zeros", 0, x), "slice with known bounds")
    sides = (trim or "").lower()
    for along in axes:
        others = tuple([i for i in range(x.ndim) if i != along])
        places = np.flatnonzero(np.any(mask, axis=others))
        size = x.shape[along]
        start = int(places[0]) if places.size else size
        stop = int(places[-1]) + 1 if places.size else size
        start, stop = start if "f" in sides else 0, stop if "b" in sides else size
        if not places.size and "b" in sides:
            start, stop = 0, 0
        x = slice_along(x, along, start, stop)
    return x


def _flat_or_along(function: str, arr: ArrayLike, axis: int | None) -> tuple[Array, int]:
    """Return the array and an axis; the flat array where none is given."""
    x = coerce_array(function, 0, arr)
    if axis is None:
        return ravel(x), 0
    return x, as_axis(function, axis, x.ndim)


def _known_slice(function: str, given: slice) -> slice:
    """Return a slice of integers."""
    bounds = [
        None if bound is None else as_index(function, "a bound of the slice", bound)
        for bound in (given.start, given.stop, given.step)
    ]
    if bounds[2] == 0:
        raise refused(function, "the step of the slice", "an integer other than 0", given.step)
    return slice(*bounds)

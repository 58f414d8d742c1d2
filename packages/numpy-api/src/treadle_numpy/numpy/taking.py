"""Elements taken by position."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArgumentError, Array, Literal, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_bool, is_integer
from treadle_ir.errors import flags, names
from treadle_ir.primitives.indexing import FillValue
from treadle_numpy.indexing.entries import Entry
from treadle_numpy.indexing.modes import IndexMode, gather_mode
from treadle_numpy.indexing.positions import around, counted, counting, wrapped
from treadle_numpy.indexing.reading import gathered
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.promote import converted

__all__ = ["take", "take_along_axis"]


@composed
def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: None = None,
    mode: IndexMode = None,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    fill_value: FillValue = None,
) -> Array:
    """Take elements at positions along an axis.

    Differs from NumPy: positions out of range give NaN (`mode="fill"`, the default), never an error.

    Args:
        a: an array.
        indices: an array of integers.
        axis: the axis; None means the flat array.
        out: must be None: arrays are immutable.
        mode: for positions out of range: "fill" (the default), "clip", "wrap" or "promise_in_bounds".
        unique_indices: a promise that no position occurs twice, which may be faster.
        indices_are_sorted: a promise that positions ascend, which may be faster. With either promise, all positions
            count from the start.
        fill_value: the element for positions out of range; by default NaN, the least signed or greatest unsigned
            integer, or True.

    Returns:
        An array with the dtype of `a`, in whose shape the shape of `indices` replaces the axis.

    Raises:
        ArgumentError: the positions are not integers.
        IndexingError: there are positions along an axis of size 0.

    Example:
        >>> print(take(np.array([1.0, 2.0, 3.0], np.float32), np.array([2, 0])))
        [3. 1.]
    """
    named_only("take", out=out)
    flags("take", unique_indices=unique_indices, indices_are_sorted=indices_are_sorted)
    x, positions = coerce_array("take", 0, a), coerce("take", 1, indices)
    if is_bool(positions.dtype):  # they are 0 and 1, as in NumPy; a mask is for `compress`
        positions = converted(positions, default_dtype(int))
    if isinstance(positions, Literal):
        positions = positions.value
    if not is_integer(positions.dtype):
        raise ArgumentError(
            f"take: indices must be of integer type, got {operand_type(positions)}",
            fix="convert with .astype(int)",
        )
    if axis is None:
        x, along = ops.reshape(x, shape=(x.size,)), 0
    else:
        along = as_axis("take", axis, x.ndim)
    size = x.shape[along]
    names("take", mode=mode)
    from_end = mode == "wrap"  # the remainder of a negative position is negative
    if from_end:
        positions = around(positions, size, counting((size,)))
        mode = "clip"
    entries = [Entry(slice(0, n, 1)) for n in x.shape]
    entries[along] = Entry(
        np.asarray(positions) if isinstance(positions, np.generic) else positions
    )
    how = gather_mode(mode, "fill")
    return gathered(
        x,
        entries,
        list(x.shape),
        how,
        fill_value,
        from_end or how != "clip",
        indices_are_sorted=indices_are_sorted and not from_end,  # remainders need not be
        unique_indices=unique_indices and not from_end,
    )


@composed
def take_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    axis: int | None = -1,
    mode: IndexMode = None,
    fill_value: FillValue = None,
    *,
    wrap_negative_indices: bool = True,
) -> Array:
    """Take elements along an axis at positions that differ between vectors.

    Args:
        arr: an array.
        indices: integers, with as many axes as `arr`; the other axes broadcast.
        axis: the axis; None means the flat array.
        mode: for positions out of range, as in `take`.
        fill_value: the element for positions out of range, as in `take`.
        wrap_negative_indices: whether negative positions count from the end.

    Returns:
        An array of the shape of `indices`, broadcast.

    Raises:
        ArgumentError: the positions are not integers.
        ArgumentError: the positions do not have as many axes as the array.

    Example:
        >>> print(take_along_axis(np.array([[3, 1]], np.int32), np.array([[1, 0]]), 1))
        [[1 3]]
    """
    flags("take_along_axis", wrap_negative_indices=wrap_negative_indices)
    x, positions = (
        coerce_array("take_along_axis", 0, arr),
        coerce("take_along_axis", 1, indices),
    )
    if not is_integer(positions.dtype):
        raise ArgumentError(
            f"take_along_axis: indices must be of integer type, got {operand_type(positions)}",
            fix="convert with .astype(int)",
        )
    if axis is None:
        if len(positions.shape) != 1:
            raise ArgumentError("take_along_axis: without an axis, indices must have one axis")
        return take(x, positions, mode=mode or "fill", fill_value=fill_value)
    if len(positions.shape) != x.ndim:
        raise ArgumentError(
            f"indices and arr must have the same number of dimensions; {len(positions.shape)} vs. {x.ndim}"
        )
    along = as_axis("take_along_axis", axis, x.ndim)
    size = x.shape[along]
    whole = counting(x.shape)
    positions = (wrapped if wrap_negative_indices else counted)(positions, size, whole)
    others = common_shape(
        "take_along_axis",
        [
            tuple(1 if i == along else n for i, n in enumerate(s))
            for s in (x.shape, positions.shape)
        ],
    )
    x = broadcast_to_shape(x, tuple(size if i == along else n for i, n in enumerate(others)))
    count = positions.shape[along]
    shape = tuple(count if i == along else n for i, n in enumerate(others))
    positions = array_of(broadcast_to_shape(positions, shape))
    batching = tuple(i for i in range(x.ndim) if i != along)
    return ops.gather(
        x,
        ops.reshape(positions, shape=(*shape, 1)),
        offset_dims=(),
        collapsed_slice_dims=(along,),
        start_index_map=(along,),
        slice_sizes=tuple([min(1, n) for n in x.shape]),
        operand_batching_dims=batching,
        start_indices_batching_dims=batching,
        mode=gather_mode(mode, "fill"),
        fill_value=fill_value,
    )

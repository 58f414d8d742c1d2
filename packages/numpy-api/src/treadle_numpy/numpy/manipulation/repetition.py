"""Elements and arrays repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.errors import ConcretizationError, integer_or_none, shown
from treadle_numpy.lax.joining import tile as lax_tile
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.numpy.reductions.running import cumsum
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.operands.arrays import Elements, filled
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, host_elements, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.sequences import operand_from
from treadle_numpy.operands.shapes import Shape, as_index, as_shape

__all__ = ["repeat", "resize", "tile"]


@composed
def tile(A: ArrayLike, reps: Shape) -> Array:  # noqa: N803
    """Repeat the entire array along each axis.

    Args:
        A: an array.
        reps: how often, for each of the last axes; more numbers than axes add axes in front.

    Example:
        >>> print(tile(np.arange(2), 2))
        [0 1 0 1]
    """
    x = coerce_array("tile", 0, A)
    counts = as_shape("tile", reps)
    counts = (1,) * (x.ndim - len(counts)) + counts
    return lax_tile(ops.reshape(x, shape=(1,) * (len(counts) - x.ndim) + x.shape), counts)


@composed
def repeat(
    a: ArrayLike,
    repeats: ArrayLike | Sequence[int],
    axis: int | None = None,
    *,
    total_repeat_length: int | None = None,
    out_sharding: Device = None,
) -> Array:
    """Repeat each element along an axis.

    Args:
        a: an array.
        repeats: how often, for all elements or for each.
        axis: the axis; None means the flat array.
        total_repeat_length: the static size of the result along the axis; needed where `repeats` is traced.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Constraints:
        `repeats` must be known to Python, unless `total_repeat_length` says how long the result is.

    Example:
        >>> print(repeat(np.arange(2), 2))
        [0 0 1 1]
    """
    if out_sharding is not None:
        return with_out_sharding(
            repeat, out_sharding, a, repeats, axis, total_repeat_length=total_repeat_length
        )
    total_repeat_length = integer_or_none("repeat", "total_repeat_length", total_repeat_length)
    x = coerce_array("repeat", 0, a)
    if axis is None:
        x, axis = ravel(x), 0
    along = as_axis("repeat", axis, x.ndim)
    length = x.shape[along]
    given = operand_from("repeat", 1, repeats)
    elements = host_elements(given)
    if elements is not None:
        _check_repeats(elements, length)
    if total_repeat_length is not None and not 0 <= total_repeat_length < _MOST:
        raise ArgumentError(
            f"repeat: total_repeat_length must be from 0 to 2**31 - 1, got {total_repeat_length}"
        )
    if elements is None:
        if total_repeat_length is None:
            raise ConcretizationError(
                f"repeat was called with repeats of type {operand_type(given)} that are traced: the size of its "
                "result depends on them",
                fix="pass `total_repeat_length`, the size of the result",
                asked=given,
            )
        whole = default_dtype(int)
        counts = broadcast_to(converted(given, whole), (length,))
        ends = maximum(cumsum(counts), whole.type(0))
        total = as_index("repeat", "total_repeat_length", total_repeat_length)
        # how many elements end at each place; those before a place, its own included, are what it has passed
        ending = ops.scatter_add(
            filled((total,), whole.type(0)),
            ops.reshape(ends, shape=(length, 1)),
            filled((length,), whole.type(1)),
            update_window_dims=(),
            inserted_window_dims=(0,),
            scatter_dims_to_operand_dims=(0,),
            mode="fill",
        )
        return take(x, cumsum(ending), along, mode="clip")
    if elements.size == 1 and total_repeat_length is None:
        count = int(elements.reshape(()))
        spread = (*x.shape[: along + 1], count, *x.shape[along + 1 :])
        others = tuple([i for i in range(x.ndim + 1) if i != along + 1])
        wide = ops.broadcast_in_dim(x, shape=spread, dimensions=others)
        return ops.reshape(wide, shape=(*x.shape[:along], length * count, *x.shape[along + 1 :]))
    positions = np.repeat(np.arange(length), np.broadcast_to(elements, (length,)))
    if total_repeat_length is not None:
        positions = positions[:total_repeat_length]
        missing = total_repeat_length - len(positions)
        positions = np.concatenate(
            [positions, np.full(missing, positions[-1] if len(positions) else 0)]
        )
    return take(x, positions.astype(np.int32), along, mode="clip")


_MOST: Final = 1 << 31  # positions are of 32 bits


def _check_repeats(repeats: Elements, length: int) -> None:
    """Refuse numbers of repetitions that are none.

    Raises:
        ArgumentError: they are not all integers of 0 or more.
        ShapeError: they are neither one nor one for each element.
    """
    if repeats.dtype.kind not in "biu" or (repeats.size and repeats.min() < 0):
        raise ArgumentError(
            f"repeat: repeats must be integers that are not negative, got {shown(repeats)}",
            fix="convert with .astype(int)",
        )
    if repeats.size != 1 and repeats.shape != (length,):
        raise ShapeError(
            f"repeat: repeats has shape {repeats.shape}, but must be one number, or one for each of {length} elements"
        )


@composed
def resize(a: ArrayLike, new_shape: Shape) -> Array:
    """Return the elements, repeated as often as it takes, in another shape.

    Example:
        >>> print(resize(np.array([1, 2, 3]), (2, 2)))
        [[1 2]
         [3 1]]
    """
    sizes = as_shape("resize", new_shape)
    total = 1
    for n in sizes:
        total *= n
    flat = ravel(coerce_array("resize", 0, a))
    if flat.size == 0 or total == 0:
        return filled(sizes, flat.dtype.type(0))
    return ops.reshape(slice_along(tile(flat, -(-total // flat.size)), 0, 0, total), shape=sizes)

"""Classes as vectors."""

from __future__ import annotations

from treadle_ir import Array, ops
from treadle_ir.calling import composed
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.shapes import as_index

__all__ = ["one_hot"]


@composed
def one_hot(
    x: ArrayLike,
    num_classes: int,
    *,
    dtype: DTypeLike | None = None,
    axis: int = -1,
    out_sharding: Device = None,
) -> Array:
    """Encode integers as vectors with a one at that position; integers out of range give zeros.

    Args:
        x: an array of integers.
        num_classes: the length of the vectors.
        dtype: the dtype of the result; the default float if None.
        axis: the axis of the vectors in the result.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> import numpy as np
        >>> print(one_hot(np.array([0, 2]), 3))
        [[1. 0. 0.]
         [0. 0. 1.]]
    """
    if out_sharding is not None:
        return with_out_sharding(one_hot, out_sharding, x, num_classes, dtype=dtype, axis=axis)
    count = as_index("one_hot", "num_classes", num_classes)
    operand = coerce_array("one_hot", 0, x)
    wanted = as_dtype("one_hot", float if dtype is None else dtype)
    place = as_axis("one_hot", axis, operand.ndim + 1)
    shape = (*operand.shape[:place], count, *operand.shape[place:])
    others = tuple([i for i in range(len(shape)) if i != place])
    spread = ops.broadcast_in_dim(operand, shape=shape, dimensions=others)
    classes = ops.iota(shape=shape, dtype=operand.dtype, dimension=place)
    return ops.convert(ops.compare(spread, classes, direction="eq"), dtype=wanted)

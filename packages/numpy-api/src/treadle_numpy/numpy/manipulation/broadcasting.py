"""Broadcasting, asked for."""

from __future__ import annotations

from treadle_ir import Array, ShapeError
from treadle_numpy.lax.shapes import broadcast_shapes as broadcast_shapes
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to"]


def broadcast_to(array: ArrayLike, shape: Shape, *, out_sharding: Device = None) -> Array:
    """Broadcast an array to a shape.

    Args:
        array: an array.
        shape: the shape; its last sizes equal the sizes of `array`, where those are not 1.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ShapeError: an axis has neither size 1 nor the size that is asked for.

    Example:
        >>> import numpy as np
        >>> print(broadcast_to(np.arange(2), (2, 2)))
        [[0 1]
         [0 1]]
    """
    if out_sharding is not None:
        return with_out_sharding(broadcast_to, out_sharding, array, shape)
    x = coerce("broadcast_to", 0, array)
    sizes = as_shape("broadcast_to", shape)
    own = x.shape
    if len(own) > len(sizes) or any(
        n not in (1, m) for n, m in zip(own[::-1], sizes[::-1], strict=False)
    ):
        raise ShapeError(
            f"Incompatible shapes for broadcasting: {own} and requested shape {sizes}",
            fix="sizes of an axis, counted from the last one, must be equal or 1",
        )
    return array_of(broadcast_to_shape(array_of(x), sizes))


def broadcast_arrays(*args: ArrayLike) -> list[Array]:
    """Return the arrays, all broadcast to their common shape.

    Example:
        >>> import numpy as np
        >>> print([x.shape for x in broadcast_arrays(np.ones((2, 1)), np.ones(3))])
        [(2, 3), (2, 3)]
    """
    operands = [coerce_array("broadcast_arrays", i, x) for i, x in enumerate(args)]
    sizes = common_shape("broadcast_arrays", [x.shape for x in operands])
    return [broadcast_to(x, sizes) for x in operands]

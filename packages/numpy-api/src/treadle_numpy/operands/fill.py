"""Arrays of one value."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, Literal, Operand, allocating, ops
from treadle_numpy.operands.arrays import made, on_host


def filled(shape: tuple[int, ...], value: Operand) -> Array:
    """An array of one value, a scalar operand of the element type it shall have."""
    if on_host() and not isinstance(value, Array):
        scalar = value.value if isinstance(value, Literal) else value
        with allocating():
            elements = np.empty(shape, scalar.dtype)
        elements[...] = scalar
        return made(elements, isinstance(value, Literal) and value.type.weak)
    if not shape and isinstance(value, Array):
        return value
    return ops.broadcast_in_dim(value, shape=shape, dimensions=())

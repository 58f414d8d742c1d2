"""Arrays of one value."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import Array, DType, Literal, Operand, ops
from treadle_ir.core.dtypes import is_extended, no_numbers
from treadle_ir.errors import allocating
from treadle_numpy.operands.arrays import made, on_host


def scalar_of(function: str, value: int, dtype: DType) -> np.generic:
    """Return a number in an element type; of random keys there is the one whose words are zero.

    Raises:
        DTypeError: another number as a random key.
    """
    scalar: Any  # of NumPy's scalars, whichever the element type has
    if is_extended(dtype):
        if value:
            raise no_numbers(function, dtype)
        scalar = np.zeros((), dtype)[()]
    else:
        scalar = dtype.type(value)
    return scalar  # type: ignore[no-any-return]


def filled(shape: tuple[int, ...], value: Operand) -> Array:
    """Return an array of one value, a scalar operand of the element type it shall have."""
    if on_host() and not isinstance(value, Array):
        scalar = value.value if isinstance(value, Literal) else value
        # Memory of zeros is had without a write; -0.0 is none of these.
        nothing = not scalar and scalar.tobytes() == bytes(scalar.itemsize)
        with allocating():
            elements = (np.zeros if nothing else np.empty)(shape, scalar.dtype)
        if not nothing:
            elements[...] = scalar
        return made(elements, isinstance(value, Literal) and value.type.weak)
    if not shape and isinstance(value, Array):
        return value
    return ops.broadcast_in_dim(value, shape=shape, dimensions=())

"""Arrays of operands, and whether constants may be made at once. What makes arrays is treadle_ir's business."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from treadle_ir import Array, DType, Literal, Operand, Primitive, ops
from treadle_ir.calling import as_array, new_array
from treadle_ir.core.dtypes import is_extended, no_numbers
from treadle_ir.errors import allocating
from treadle_ir.tracing import EvalTrace, current_trace

Elements: TypeAlias = np.ndarray[Any, np.dtype[Any]]  # of whatever shape and element type

made = new_array


def on_host() -> bool:
    """Return whether nothing transforms what runs now, so that constants may be made by NumPy at once."""
    return type(current_trace()) is EvalTrace


def array_of(operand: Operand) -> Array:
    """Return a coerced operand as an array: NumPy arrays and scalars are converted, others are returned unchanged."""
    return operand if isinstance(operand, Array) else as_array(operand)


def copy_if_aliased(result: Array, given: object) -> Array:
    """Return `result`, or a copy if it is the argument `given`, so that donating one does not delete the other."""
    return ops.copy(result) if result is given and on_host() else result


def bind(primitive: Primitive, *operands: Operand) -> Array:
    """The only result of a primitive under the current trace."""
    return current_trace().process(primitive, operands)[0]  # type: ignore[return-value]  # see `treadle_ir.bind`


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

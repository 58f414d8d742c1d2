"""Arrays of operands, and whether constants may be made at once. What makes arrays is treadle_ir's business."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from treadle_ir import Array, Operand, ops
from treadle_ir.calling import as_array, new_array
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

"""Arrays of operands, and whether constants may be made at once. What makes arrays is treadle_ir's business."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from treadle_ir import Array, EvalTrace, Operand, as_array, current_trace, new_array, ops

Elements: TypeAlias = np.ndarray[Any, np.dtype[Any]]  # of whatever shape and element type

made = new_array


def on_host() -> bool:
    """Whether nothing transforms what runs now, so that constants may be made by NumPy at once."""
    return type(current_trace()) is EvalTrace


def array_of(operand: Operand) -> Array:
    """A coerced operand as an array: tracers and arrays as they are, NumPy's and scalars made into one."""
    return operand if isinstance(operand, Array) else as_array(operand)


def apart(result: Array, given: object) -> Array:
    """The result; if it is what was given, a copy, so that deleting or donating one leaves the other."""
    return ops.copy(result) if result is given and on_host() else result

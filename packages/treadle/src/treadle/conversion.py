"""What transformations make of the numbers and NumPy arrays that users pass: arrays of the runtime."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import Operand, canonical_dtype, float0, ops, type_of
from treadle_runtime import from_host


def as_array(x: Any) -> Operand:
    """The array of a number or a NumPy array, narrowed where 32-bit types are in force.

    NumPy arrays are copied: a program may run after their owner has written to them. Numbers are converted by an
    operation, so that a program which is being staged shows them as literals.
    """
    type = type_of(x)
    if type.dtype == float0:
        return x  # type: ignore[no-any-return]  # it has no elements to convert
    dtype = canonical_dtype(type.dtype)
    if isinstance(x, np.ndarray):
        return from_host(np.array(x, dtype))
    return ops.convert(x, dtype=dtype, weak=type.weak)

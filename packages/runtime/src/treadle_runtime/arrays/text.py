"""Arrays as text: what `repr` shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import ArrayType, reference
from treadle_ir.core.dtypes import is_extended, is_key, physical_type, user_name


def type_text(type: ArrayType) -> str:
    """Return `Array(shape=(8,), dtype=float32)`, the text of an array of which other processes have shards."""
    weak = ", weak_type=True" if type.weak else ""
    return f"Array(shape={type.shape}, dtype={user_name(type.dtype)}{weak})"


def array_text(elements: np.ndarray[Any, np.dtype[Any]], type: ArrayType) -> str:
    """Return `Array([1., 2.], dtype=float32)`, with lines broken as NumPy breaks them."""
    dtype = user_name(type.dtype)
    if is_key(type.dtype):
        return f"Array({elements.shape}, dtype={dtype}) overlaying:\n{reference.words_of_keys(elements)}"
    if is_extended(type.dtype):  # of a library: as what its elements are made of
        held, parts = physical_type(type.dtype)
        elements = np.ascontiguousarray(elements).view(held).reshape(*elements.shape, *parts)
    tail = f"dtype={dtype}{', weak_type=True' if type.weak else ''})"
    if not elements.size and elements.shape != (0,):
        return f"Array([], shape={elements.shape}, {tail}"
    width: int = np.get_printoptions()["linewidth"]
    body = np.array2string(elements, separator=", ", prefix="Array(", suffix=",")
    last = body.rpartition("\n")[2]
    start = len("Array(") if last is body else 0
    if start + len(last) + len(tail) + 2 > width:
        return f"Array({body},\n{' ' * len('Array(')}{tail}"
    return f"Array({body}, {tail}"

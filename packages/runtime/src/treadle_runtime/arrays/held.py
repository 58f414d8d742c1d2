"""Elements of structured types, as devices hold them: keys as words, float0, which has no data, as booleans."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

import treadle_compiler as compiler
from treadle_ir import ArrayType
from treadle_ir.core.dtypes import is_extended

Elements: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def for_device(host: Elements) -> Elements:
    """Return the elements for a device."""
    held = compiler.device_dtype(host.dtype)
    if not is_extended(host.dtype):
        return np.zeros(host.shape, held)
    shape = compiler.device_shape(ArrayType(host.shape, host.dtype))
    return (
        host.view(held)
        if shape == host.shape
        else np.ascontiguousarray(host).view(held).reshape(shape)
    )


def from_device(held: Elements, type: ArrayType) -> Elements:
    """Return elements that a device holds as an array of an extended dtype: the inverse of `for_device`."""
    if held.shape == type.shape:
        return held.view(type.dtype)
    return np.ascontiguousarray(held).view(type.dtype).reshape(type.shape)

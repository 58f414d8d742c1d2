"""Bounds and dtype checks for in-place updates of references."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir.calling.operands import as_array
from treadle_ir.core.dtypes import is_complex, is_floating
from treadle_ir.core.types import ArrayType
from treadle_ir.errors.kinds import DTypeError, IndexingError, ShapeError
from treadle_ir.primitives.convert import convert
from treadle_ir.tracing.array import Array, type_of


def check_positions(shape: tuple[int, ...], entries: tuple[Any, ...]) -> None:
    """Refuse positions out of bounds, which arrays clamp or drop: a write to a reference would be lost.

    Positions in arrays and tracers are left to arrays, and so are indices with other errors.

    Raises:
        IndexingError: a position is out of bounds.

    Example:
        >>> check_positions((2, 3), (..., -3))
    """
    taken = [_axes_taken(each) for each in entries]
    axis = 0
    for number, (each, count) in enumerate(zip(entries, taken, strict=True)):
        if each is Ellipsis:
            axis = len(shape) - sum(taken[number + 1 :])
            continue
        if isinstance(each, (int, np.integer)) and count and 0 <= axis < len(shape):
            size: object = shape[axis]  # symbolic sizes are not checked
            if isinstance(size, int) and not -size <= each < size:
                raise IndexingError(
                    f"a reference: position {each} is out of bounds for axis {axis} of size {size}",
                    fix=f"positions are {-size} to {size - 1}" if size else "the axis is empty",
                )
        axis += count


def _axes_taken(entry: object) -> int:
    """Return the number of axes that an entry of an index consumes."""
    if entry is None or entry is Ellipsis or isinstance(entry, (bool, np.bool_)):
        return 0
    if getattr(getattr(entry, "dtype", None), "kind", "") == "b":
        return int(getattr(entry, "ndim", 0))
    return 1


def kind_of(dtype: np.dtype[Any]) -> int:
    """Return the rank of an element type: integers, floats, complex numbers; Python numbers convert upwards only.

    Example:
        >>> kind_of(np.dtype("i4")) < kind_of(np.dtype("f2")) < kind_of(np.dtype("c8"))
        True
    """
    if is_complex(dtype):
        return 2
    return 1 if is_floating(dtype) else 0


def fitting(what: str, whole: ArrayType, part: ArrayType, x: object) -> Array:
    """Return a value for a part of a reference's array, in the array's element type.

    Raises:
        ShapeError, DTypeError: the value does not fit the part.
    """
    array = as_array(x)
    type = type_of(array)
    if type.shape != part.shape:
        raise ShapeError(
            f"{what}: the value is {type}, but the part of the reference is {part.strong()}",
            fix=f"broadcast the value to {list(part.shape)}",
        )
    if type.dtype != part.dtype and not (type.weak and kind_of(type.dtype) <= kind_of(part.dtype)):
        raise DTypeError(
            f"{what}: the value is {type}, but the reference holds {whole.strong()}",
            fix="convert the value with .astype(ref.dtype)",
        )
    return array if type is part else convert(array, dtype=part.dtype, weak=part.weak)

"""Shape arguments, and arithmetic of shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.core import is_symbolic
from treadle_ir.errors import integer, shown

Shape: TypeAlias = int | Sequence[int]
LARGE: Final = 1 << 31  # a size from which on a shape is looked at
_MOST: Final = 1 << 58  # elements, of 16 bytes at most: NumPy counts bytes in 63 bits


def as_shape(function: str, shape: object) -> tuple[int, ...]:
    """Return a shape argument as a tuple of ints; concrete arrays and tracers count as their elements.

    Raises:
        ArgumentError: a size is not an integer; ShapeError: a size is negative.
    """
    if type(shape) is tuple:
        for size in shape:
            if size.__class__ is not int or size < 0 or size >= LARGE:
                break
        else:  # as nearly always
            return shape
    sizes: Iterable[object] = (shape,)
    if getattr(shape, "ndim", 0) or not hasattr(shape, "__index__") or isinstance(shape, type):
        if isinstance(shape, (str, bytes, bytearray, memoryview, type)) or not isinstance(
            shape, Iterable
        ):
            raise ArgumentError(
                f"{function}: a shape is an integer or a sequence of integers, got {shown(shape)} of {type(shape)}",
                fix="shapes are integers known before the program runs: convert with int(...)",
            )
        sizes = shape
    result = tuple([as_index(function, "a size", size) for size in sizes])
    if any(size < 0 for size in result):
        raise ShapeError(
            f"{function}: the shape {result} has a negative size",
            fix="sizes are 0 or more; only reshape takes -1, for the size that follows from the others",
        )
    if not is_symbolic(result) and size_of(tuple([size or 1 for size in result])) >= _MOST:
        raise ShapeError(
            f"{function}: the shape {result} is too large: it has more elements than memory has addresses",
            fix="use smaller arrays or batches",
        )
    return result


def as_index(function: str, what: str, value: object) -> int:
    """Return a Python integer from whatever stands for one; a tracer's own error tells what to do.

    Raises:
        ArgumentError: it does not stand for an integer.
    """
    try:
        return integer(function, what, value)
    except ArgumentError as error:
        error.add_note(
            "  fix: shapes and axes are integers known before the program runs: convert with int(...)"
        )
        raise


def size_of(shape: tuple[int, ...]) -> int:
    """Return the number of elements of a shape."""
    total = 1
    for n in shape:
        total *= n
    return total


def kept_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with size 1 for the axes that were reduced."""
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])


def ndim_of(x: object) -> int:
    """Return the number of axes of a value or of nested sequences."""
    return x.ndim if isinstance(x, Array) else np.ndim(x)  # type: ignore[arg-type]  # of whatever it is

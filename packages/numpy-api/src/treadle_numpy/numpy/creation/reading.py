"""Arrays read from what the host has: bytes, texts, iterators, files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from os import PathLike
from typing import IO

import numpy as np

from treadle_ir import ArgumentError, Array, DType, TreadleError
from treadle_ir.core.dtypes import dtype_name
from treadle_ir.errors import OutOfMemoryError, integer, names, refused
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype, named_dtype
from treadle_numpy.operands.sequences import array_from

__all__ = ["frombuffer", "fromfile", "fromiter", "fromstring"]


def frombuffer(buffer: object, dtype: DTypeLike = float, count: int = -1, offset: int = 0) -> Array:
    """Return a vector of the bytes of an object, read as elements of a type in the order of the host.

    Differs from NumPy: it is a copy; without 64-bit types in force, elements of 64 bits are read as such and converted.

    Raises:
        ArgumentError: the object has no bytes, or they are not so many whole elements.

    Example:
        >>> print(frombuffer(b"\\x01\\x02\\x03\\x04", "uint8", count=2, offset=1))
        [2 3]
    """
    element = _stored("frombuffer", dtype)
    count, offset = integer("frombuffer", "count", count), integer("frombuffer", "offset", offset)
    if isinstance(buffer, (Array, np.ndarray)):
        buffer = np.asarray(buffer).tobytes()
    if isinstance(buffer, str):
        raise refused("frombuffer", "buffer", "bytes", buffer)
    try:
        data = memoryview(buffer).tobytes()  # type: ignore[arg-type]  # or it has none
    except (TypeError, BufferError, ValueError):
        raise refused("frombuffer", "buffer", "bytes", buffer) from None
    if not 0 <= offset <= len(data):
        raise ArgumentError(f"frombuffer: offset {offset} is not within the {len(data)} bytes")
    size = element.itemsize
    there = len(data) - offset
    if count < 0 and there % size:
        raise ArgumentError(
            f"frombuffer: {there} bytes are not a whole number of elements of {size} bytes",
            fix="pass `count`, or another `dtype`",
        )
    number = there // size if count < 0 else count
    if number * size > there:
        raise ArgumentError(
            f"frombuffer: {number} elements of {size} bytes are more than the {there} bytes there are"
        )
    elements = np.frombuffer(data, element, number, offset) if number else np.empty(0, element)
    return array_from("frombuffer", elements.copy(), None)


def fromstring(string: str, dtype: DTypeLike = float, count: int = -1, *, sep: str) -> Array:
    """Return a vector of the numbers in a text, which stand between separators.

    Raises:
        ArgumentError: the text holds something else, or the separator is empty.

    Example:
        >>> print(fromstring("1, 2, 3", int, sep=","))
        [1 2 3]
    """
    element = as_dtype("fromstring", dtype)
    count = integer("fromstring", "count", count)
    names("fromstring", string=string, sep=sep)
    if not sep:
        raise ArgumentError(
            "fromstring: sep must be a string that is not empty", fix="read bytes with frombuffer"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "error", DeprecationWarning
            )  # older NumPy reads a part, and warns
            elements: Elements = np.fromstring(string, element, count, sep=sep)
    except (ValueError, TypeError, OverflowError, DeprecationWarning) as error:
        raise ArgumentError(f"fromstring: {error}") from None
    except MemoryError as error:
        raise OutOfMemoryError(f"fromstring: {error}", fix="leave `count` out") from None
    return array_from("fromstring", elements, element)


def fromiter(iter: Iterable[object], dtype: DTypeLike, count: int = -1) -> Array:
    """Return a vector of what an iterable yields, read at once.

    An iterator inside of `jit` is read while tracing, once.

    Raises:
        ArgumentError: it cannot be iterated over, yields fewer elements than `count`, or something that is not a
            number.

    Example:
        >>> print(fromiter((n * n for n in range(4)), int))
        [0 1 4 9]
    """
    element = as_dtype("fromiter", dtype)
    count = integer("fromiter", "count", count)
    source: object = iter
    if not isinstance(source, Iterable) or getattr(source, "ndim", 1) == 0:
        raise refused("fromiter", "iter", "an iterable", source)
    elements: list[object] = []
    if count:
        for each in source:
            elements.append(each)
            if len(elements) == count:
                break
    if len(elements) < count:
        raise ArgumentError(f"fromiter: {len(elements)} elements are fewer than count, {count}")
    try:
        return array_from("fromiter", elements, element)
    except TreadleError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise ArgumentError(f"fromiter: {error}") from None


def fromfile(
    file: str | PathLike[str] | IO[bytes],
    dtype: DTypeLike = float,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
) -> Array:
    """Return a vector of the numbers in a file: of bytes, or of text with separators.

    A file inside of `jit` is read while tracing, once.

    Raises:
        ArgumentError: the file does not hold such numbers.

    Example:
        >>> from tempfile import TemporaryFile
        >>> with TemporaryFile() as file:
        ...     _ = file.write(b"\\x01\\x02\\x03")
        ...     _ = file.seek(0)
        ...     print(fromfile(file, "uint8"))
        [1 2 3]
    """
    element = _stored("fromfile", dtype)
    try:
        elements: Elements = np.fromfile(file, element, count, sep, offset=offset)
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise ArgumentError(f"fromfile: {error}") from None
    return array_from("fromfile", elements, None)


def _stored(function: str, dtype: DTypeLike) -> DType:
    """Return the type of elements as they are stored, of its own width: `float` is what NumPy writes, of 64 bits."""
    found = named_dtype(function, dtype)
    dtype_name(found)
    return found

"""Arrays in files of NumPy's format."""

from __future__ import annotations

from os import PathLike
from typing import IO, Any, Final, Literal, TypeAlias

import numpy as np
from numpy.lib.npyio import NpzFile

from treadle_ir import ArgumentError, Array
from treadle_ir.core import dtypes
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.sequences import array_from

__all__ = ["load", "save", "savez"]

_TWO_BYTES: Final = np.dtype("V2")  # what NumPy, which has no name for bfloat16, writes of it

File: TypeAlias = str | PathLike[str] | IO[bytes]


def save(file: File, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Write an array to a file in NumPy's format: `numpy.save`, which appends `.npy` to a name without it.

    Raises:
        TracerArrayConversionError: the array is traced, and has no elements yet.
        OSError: the file cannot be written.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> save(file, np.arange(3, dtype=np.int32))
        >>> _ = file.seek(0)
        >>> print(load(file))
        [0 1 2]
    """
    np.save(file, np.asarray(arr), allow_pickle)


def savez(file: File, *args: ArrayLike, **kwds: ArrayLike) -> None:
    """Write several arrays to a file in NumPy's format: those without a name are called `arr_0`, `arr_1`, ...

    A file name without `.npz` gets it appended. `file` and `allow_pickle` are not names of arrays, as newer versions of
    NumPy have arguments of that name.

    Raises:
        ArgumentError: an array is called `allow_pickle`.
        TracerArrayConversionError: an array is traced, and has no elements yet.
        OSError: the file cannot be written.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> savez(file, np.arange(3, dtype=np.int32), weights=np.ones(2, np.float32))
        >>> _ = file.seek(0)
        >>> sorted(load(file))
        ['arr_0', 'weights']
    """
    if "allow_pickle" in kwds:  # NumPy 2.4 would leave it out silently
        raise ArgumentError(
            "savez: an array cannot be called allow_pickle",
            fix="give it another name; arrays of numbers are never pickled",
        )
    named: dict[str, Any] = {name: np.asarray(x) for name, x in kwds.items()}
    np.savez(file, *[np.asarray(x) for x in args], **named)


def load(
    file: File, mmap_mode: Literal["r+", "r", "w+", "c"] | None = None, allow_pickle: bool = False
) -> Array | NpzFile:
    """Read an array from a file in NumPy's format; files of several arrays come back as NumPy reads them.

    Of such a file NumPy's arrays are had by name, `load("all.npz")["weights"]`. NumPy writes bfloat16 as elements of
    two bytes without a name: those are read as bfloat16.

    Raises:
        OSError: there is no such file, or it cannot be read.
        ValueError: it is in no format of NumPy's, or has pickled objects without `allow_pickle`, as NumPy says it.
        DTypeError: the elements are of a type that treadle lacks, such as strings.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> np.save(file, np.arange(3, dtype=np.int32))
        >>> _ = file.seek(0)
        >>> print(load(file))
        [0 1 2]
    """
    found: Elements | NpzFile = np.load(file, mmap_mode, allow_pickle)
    if not isinstance(found, np.ndarray):
        return found
    if found.dtype == _TWO_BYTES:
        found = found.view(dtypes.bfloat16)
    return array_from("load", found, None)

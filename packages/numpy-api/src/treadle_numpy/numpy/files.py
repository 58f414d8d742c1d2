"""Arrays in files of NumPy's format."""

from __future__ import annotations

from os import PathLike
from typing import IO, Any, Literal, TypeAlias

import numpy as np
from numpy.lib.npyio import NpzFile

from treadle_ir import Array
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.sequences import array_from

__all__ = ["load", "save", "savez"]

File: TypeAlias = str | PathLike[str] | IO[bytes]


def save(file: File, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Write an array to a file in NumPy's format."""
    np.save(file, np.asarray(arr), allow_pickle)


def savez(file: File, *args: ArrayLike, **kwds: ArrayLike) -> None:
    """Write several arrays to a file in NumPy's format."""
    named: dict[str, Any] = {
        name: np.asarray(x) for name, x in kwds.items()
    }  # one may be called `allow_pickle`
    np.savez(file, *[np.asarray(x) for x in args], **named)


def load(
    file: File, mmap_mode: Literal["r+", "r", "w+", "c"] | None = None, allow_pickle: bool = False
) -> Array | NpzFile:
    """Read an array from a file in NumPy's format; files of several arrays come back as NumPy reads them."""
    found: Elements | NpzFile = np.load(file, mmap_mode, allow_pickle)
    return array_from("load", found, None) if isinstance(found, np.ndarray) else found

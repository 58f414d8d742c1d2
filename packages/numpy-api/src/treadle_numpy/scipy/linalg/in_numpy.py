"""Host functions by NumPy for matrices made of vectors: views of a few elements, written once.

They give what the operations of the functions give, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.calling import HostFunction

# Any: arrays of any element type.
_Elements = np.ndarray[Any, Any]


def _alike(types: Sequence[ArrayType], ndim: int) -> bool:
    """Return whether there are arrays of one element type of NumPy's, with so many axes, that are not empty."""
    return len(types) > 0 and all(
        [
            x.ndim == ndim and x.size > 0 and x.dtype == types[0].dtype and x.dtype.isbuiltin == 1
            for x in types
        ]
    )


def toeplitz(types: Sequence[ArrayType]) -> HostFunction | None:
    """Of the column backwards and then the row each row is a part that begins one element before the last one's."""
    if not _alike(types, 1):
        return None
    column, row = types[0], types[-1]
    shape, size = (column.size, row.size), column.dtype.itemsize

    def run(c: _Elements, r: _Elements | None = None) -> list[_Elements]:
        diagonals = np.concatenate([c[::-1], c[1:].conj() if r is None else r[1:]])
        parts: _Elements = np.ndarray(
            shape, c.dtype, diagonals, (shape[0] - 1) * size, (-size, size)
        )
        return [parts.copy()]

    return run


def block_diag(types: Sequence[ArrayType]) -> HostFunction | None:
    """Zeros, with the blocks written over them."""
    if not _alike(types, 2):
        return None
    ends = np.cumsum([x.shape for x in types], axis=0).tolist()
    places = [
        (slice(row - x.shape[0], row), slice(column - x.shape[1], column))
        for (row, column), x in zip(ends, types, strict=True)
    ]

    def run(*blocks: _Elements) -> list[_Elements]:
        result: _Elements = np.zeros(ends[-1], blocks[0].dtype)
        for place, block in zip(places, blocks, strict=True):
            result[place] = block
        return [result]

    return run

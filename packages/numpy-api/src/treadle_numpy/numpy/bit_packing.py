"""Booleans packed into bytes, and bytes unpacked into bits."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME, is_bool, is_integer
from treadle_ir.errors import integer_or_none, names, shown
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.numpy.padding import pad
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.scalars import truth

__all__ = ["packbits", "unpackbits"]

_BYTE: Final = BY_NAME["u8"]
_BITS: Final = 8


@composed
def packbits(a: ArrayLike, axis: int | None = None, bitorder: str = "big") -> Array:
    """Return whether elements are zero, eight to a byte along an axis; the last byte is filled up with zeros.

    Shapes:
        a: [..., n, ...]
        result: [..., ceil(n / 8), ...], of type uint8; of one axis where `axis` is None, which flattens

    `bitorder` says whether the first element is the highest bit ("big") or the lowest ("little").

    Raises:
        DTypeError: the elements are neither integers nor booleans.
        ArgumentError: there is no such bit order.

    Example:
        >>> print(packbits(np.array([1, 0, 1, 0, 0, 0, 0, 0, 1])))
        [160 128]
    """
    shifts = _shifts("packbits", bitorder)
    x = coerce_array("packbits", 0, a)
    if not (is_integer(x.dtype) or is_bool(x.dtype)):
        raise DTypeError(
            f"packbits takes integers and booleans, got {operand_type(x)}",
            fix="compare first, as in `packbits(x != 0)`",
        )
    bits = ops.convert(truth("packbits", 0, x), dtype=_BYTE)
    along, flat = (0, ravel(bits)) if axis is None else (axis, bits)
    rows = moveaxis(flat, as_axis("packbits", along, flat.ndim), -1)
    *outer, n = rows.shape
    rows = pad(rows, [*((0, 0) for _ in outer), (0, -n % _BITS)])
    groups = ops.reshape(rows, shape=(*outer, -(-n // _BITS), _BITS))
    shifted = ops.shift_left(groups, _last(shifts, groups))
    packed = ops.reduce_add(shifted, axes=(groups.ndim - 1,))
    return moveaxis(packed, -1, along)


@composed
def unpackbits(
    a: ArrayLike, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Array:
    """Return the bits of bytes along an axis, each as 0 or 1 of type uint8.

    Shapes:
        a: [..., n, ...], of type uint8
        result: [..., 8 * n, ...]; of one axis where `axis` is None, which flattens

    `count` bits are kept, or all but the last where it is negative; zeros follow where there are fewer.

    Raises:
        DTypeError: the elements are not of type uint8.
        ArgumentError: there is no such bit order.

    Example:
        >>> print(unpackbits(np.array([5], np.uint8)))
        [0 0 0 0 0 1 0 1]
    """
    shifts = _shifts("unpackbits", bitorder)
    count = integer_or_none("unpackbits", "count", count)
    x = coerce_array("unpackbits", 0, a)
    if x.dtype != _BYTE:
        raise DTypeError(
            f"unpackbits takes bytes of type uint8, got {operand_type(x)}",
            fix="convert with .astype(treadle.numpy.uint8), or .view() for all bytes of wider types",
        )
    along, flat = (0, ravel(x)) if axis is None else (axis, x)
    rows = moveaxis(flat, as_axis("unpackbits", along, flat.ndim), -1)
    *outer, n = rows.shape
    wide = ops.broadcast_in_dim(rows, shape=(*outer, n, _BITS), dimensions=tuple(range(rows.ndim)))
    masks = ops.shift_left(np.uint8(1), shifts)
    bits = ops.compare(ops.and_(wide, _last(masks, wide)), np.uint8(0), direction="ne")
    flat_bits = ops.reshape(ops.convert(bits, dtype=_BYTE), shape=(*outer, n * _BITS))
    total = n * _BITS
    kept = total if count is None else count if count >= 0 else max(total + count, 0)
    if kept <= total:
        flat_bits = slice_along(flat_bits, len(outer), 0, kept)
    else:
        flat_bits = pad(flat_bits, [*((0, 0) for _ in outer), (0, kept - total)])
    return moveaxis(flat_bits, -1, along)


def _shifts(function: str, bitorder: str) -> Array:
    """Return by how much each of eight bits is shifted."""
    names(function, bitorder=bitorder)
    if bitorder not in ("big", "little"):
        raise ArgumentError(
            f"{function}: bitorder must be 'big' or 'little', got {shown(bitorder)}"
        )
    ascending = ops.iota(shape=(_BITS,), dimension=0, dtype=_BYTE)
    return ops.subtract(np.uint8(_BITS - 1), ascending) if bitorder == "big" else ascending


def _last(vector: Array, x: Array) -> Array:
    """Return a vector along the last axis of an array, in the array's shape."""
    return ops.broadcast_in_dim(vector, shape=x.shape, dimensions=(x.ndim - 1,))

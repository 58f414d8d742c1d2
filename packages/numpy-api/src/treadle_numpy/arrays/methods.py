"""Methods of arrays on their shape and type, whose signatures differ from the functions that they call."""

from __future__ import annotations

from typing import Literal

import numpy as np

from treadle_ir import Array, DTypeError, ops, type_of
from treadle_ir.core import dtypes
from treadle_ir.errors import names
from treadle_numpy.numpy.manipulation import axes, conversion, shapes
from treadle_numpy.operands.arrays import copy_if_aliased
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.shapes import Shape


def reshape(
    self: Array,
    *args: Shape,
    order: str = "C",
    copy: bool | None = None,
    out_sharding: Device = None,
) -> Array:
    """Return the same elements in another shape, given as sizes or as one tuple; one size may be -1, to be worked out.

    Example:
        >>> import treadle_numpy as tnp
        >>> print(tnp.arange(4).reshape(2, -1))
        [[0 1]
         [2 3]]
    """
    shape: Shape = args[0] if len(args) == 1 else args  # type: ignore[assignment]  # sizes
    return shapes.reshape(self, shape, order, out_sharding=out_sharding)


def transpose(self: Array, *args: Shape | None) -> Array:
    """Return the axes in another order, given one by one or as one tuple; reversed by default."""
    if not args or (len(args) == 1 and args[0] is None):
        return axes.transpose(self)
    order = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
    return axes.transpose(self, order)  # type: ignore[arg-type]  # axes


def flatten(self: Array, order: str = "C", *, out_sharding: Device = None) -> Array:
    """The elements in one axis, in row-major order (column-major with `order="F"`), always in a buffer of their own."""
    return copy_if_aliased(shapes.ravel(self, order, out_sharding=out_sharding), self)


def astype(
    self: Array, dtype: DTypeLike | None, copy: bool = False, device: Device = None
) -> Array:
    """Return the same numbers in another element type; None means the default float type.

    Example:
        >>> import treadle_numpy as tnp
        >>> print(tnp.array([1.7, -1.7]).astype(int))
        [ 1 -1]
    """
    return conversion.astype(self, dtype, copy=copy, device=device)


def byteswap(self: Array) -> Array:
    """Return the same elements with their bytes in the opposite order; the parts of complex numbers each for itself.

    Raises:
        DTypeError: the elements have no whole number of bytes.

    Example:
        >>> import numpy as np
        >>> import treadle_numpy as tnp
        >>> print(tnp.array([1, 2], dtype=np.uint16).byteswap())
        [256 512]
    """
    dtype = self.dtype
    if dtype.names is not None or dtypes.bit_width(dtype) % 8:
        raise DTypeError(f"byteswap: the elements of {type_of(self)} have no bytes to swap")
    if dtype.kind == "c":
        return ops.complex(byteswap(ops.real(self)), byteswap(ops.imag(self)))
    if dtype.itemsize == 1:
        return self
    word = np.dtype(f"u{dtype.itemsize}")
    rest = self if dtype == word else ops.bitcast_convert(self, dtype=word)
    eight, byte = word.type(8), word.type(255)
    swapped = ops.and_(rest, byte)
    for _ in range(dtype.itemsize - 1):
        rest = ops.shift_right_logical(rest, eight)
        swapped = ops.or_(ops.shift_left(swapped, eight), ops.and_(rest, byte))
    return swapped if dtype == word else ops.bitcast_convert(swapped, dtype=dtype)


def clone(self: Array) -> Array:
    """Return the same elements in a buffer of its own, as `copy` does."""
    return ops.copy(self)


def copy(self: Array) -> Array:
    """Return the same elements in a buffer of its own."""
    return ops.copy(self)


def tobytes(self: Array, order: Literal["C", "F", "A", "K"] = "C") -> bytes:
    """Return the bytes of the elements, in row-major order (column-major with `order="F"`)."""
    names("tobytes", order=order)
    return np.asarray(self).tobytes("F" if order == "F" else "C")

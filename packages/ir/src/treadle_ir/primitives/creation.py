"""Creation from nothing: iota.

Constants are literals, broadcast by `broadcast_in_dim`; arrays that a function captures become parameters.
"""

from __future__ import annotations

from typing import ClassVar, final

from treadle_ir import dtypes
from treadle_ir.array import Array
from treadle_ir.dtypes import DType
from treadle_ir.errors import ArgumentError, DTypeError, ShapeError
from treadle_ir.families import Creation
from treadle_ir.frozen import frozen
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import ArrayType, Type


@register
@final
@frozen
class Iota(Creation):
    """The index along one axis: `y[i0, i1, ...] = i[dimension]`.

    Constraints:
        (C1) `dimension` is an axis of `shape`
        (C2) the element type is a number, not boolean
        (C3) sizes are not negative
    """

    name: ClassVar[str] = "iota"
    shape: tuple[int, ...]
    dtype: DType
    dimension: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """An array of the shape."""
        assert not operands, "iota takes no operands"
        if not 0 <= self.dimension < len(self.shape):  # C1
            raise ArgumentError(
                f"iota: dimension is {self.dimension}, but the shape {list(self.shape)} has"
                f" {len(self.shape)} axes"
            )
        if not (dtypes.is_integer(self.dtype) or dtypes.is_inexact(self.dtype)):  # C2
            raise DTypeError(f"iota: cannot count in {dtypes.dtype_name(self.dtype)}")
        if any(n < 0 for n in self.shape):  # C3
            raise ShapeError(
                f"iota: the shape is {list(self.shape)}, but a size cannot be negative"
            )
        return (ArrayType(self.shape, self.dtype),)


def iota(*, shape: tuple[int, ...], dtype: DType, dimension: int) -> Array:
    """The index along one axis, in an array of this shape and element type.

    Example:
        >>> from treadle_ir import ops
        >>> import numpy as np
        >>> ops.iota(shape=(2, 3), dtype=np.dtype("i4"), dimension=1).tolist()
        [[0, 1, 2], [0, 1, 2]]
    """
    return bind(Iota(shape, dtype, dimension))[0]

"""Creation from nothing: iota, and sizes as values.

Constants are literals, broadcast by `broadcast_in_dim`; arrays that a function captures become parameters.
"""

from __future__ import annotations

from typing import ClassVar, final

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType
from treadle_ir.core.families import Creation
from treadle_ir.core.promotion import scalar_type
from treadle_ir.core.registry import register
from treadle_ir.core.sizes import Symbolic
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError, DTypeError, RangeError, ShapeError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array
from treadle_ir.tracing.trace import bind


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
        """Return an array of the shape."""
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


@register
@final
@frozen
class DimensionSize(Creation):
    """A size as a value: a scalar with a weak integer type, as a Python integer would have.

    As long as the size is symbolic, the value is unknown; it is known when the program is specialised to known sizes.

    Constraints:
        (C1) the element type is an integer
        (C2) a known size fits the element type
    """

    name: ClassVar[str] = "dimension_size"
    dimension: int
    dtype: DType

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return a weak scalar."""
        assert not operands, "dimension_size takes no operands"
        if not dtypes.is_integer(self.dtype):  # C1
            raise DTypeError(
                f"dimension_size: a size is an integer, not {dtypes.dtype_name(self.dtype)}"
            )
        least, greatest = (int(end(self.dtype).item()) for end in (dtypes.least, dtypes.greatest))
        if not isinstance(self.dimension, Symbolic) and not least <= self.dimension <= greatest:
            raise RangeError(  # C2
                f"dimension_size: {self.dimension} does not fit {dtypes.dtype_name(self.dtype)}",
                fix='turn 64-bit types on: treadle.config.update("treadle_enable_x64", True)',
            )
        return (ArrayType((), self.dtype, weak=True),)

    def known(self) -> int:
        """Return the size, which must be known.

        Raises:
            SymbolicSizeError: it is symbolic.
        """
        return int(self.dimension)


def dimension_size(dimension: int) -> Array:
    """Return a size as a weak integer scalar.

    Example:
        >>> from treadle_ir import ops
        >>> ops.dimension_size(3).tolist()
        3
    """
    return bind(DimensionSize(dimension, scalar_type(0).dtype))[0]


def iota(*, shape: tuple[int, ...], dtype: DType, dimension: int) -> Array:
    """Return the index along one axis, in an array of this shape and element type.

    Example:
        >>> from treadle_ir import ops
        >>> import numpy as np
        >>> ops.iota(shape=(2, 3), dtype=np.dtype("i4"), dimension=1).tolist()
        [[0, 1, 2], [0, 1, 2]]
    """
    return bind(Iota(shape, dtype, dimension))[0]

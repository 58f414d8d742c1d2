"""The attributes of objects that have the type of an array."""

from __future__ import annotations

from treadle_ir.core.dtypes import DType
from treadle_ir.core.types import ArrayType


class Typed:
    """An object with the type of an array: an array, a reference to one, or a description of one."""

    __slots__ = ()
    type: ArrayType

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.type.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.type.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.type.size

    @property
    def weak_type(self) -> bool:
        """Whether the array comes from a Python scalar, so that it yields to other operands in promotion."""
        return self.type.weak

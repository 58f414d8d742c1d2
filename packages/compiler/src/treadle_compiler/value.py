"""A value in the text of a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, final

import numpy as np

from treadle_compiler.types import mlir_type
from treadle_ir import ArrayType, Type


@final
class HloValue:
    """A value in the text: its name and its type."""

    __slots__ = ("literal", "mlir", "name", "type")

    def __init__(self, name: str, type: Type) -> None:
        self.name = name
        self.type = type
        self.mlir = mlir_type(type)
        self.literal: object = None  # the scalar, when the value is a scalar constant

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an array's value."""
        assert isinstance(self.type, ArrayType)
        return self.type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type of an array's value."""
        assert isinstance(self.type, ArrayType)
        return self.type.dtype


HloValues: TypeAlias = Sequence[HloValue]

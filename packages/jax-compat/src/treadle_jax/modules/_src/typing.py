"""`jax._src.typing`: for jaxns and haliax, whose annotations name what has an element type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

DType: TypeAlias = np.dtype[Any]
DimSize: TypeAlias = int | Any
Shape: TypeAlias = Sequence[DimSize]


class SupportsDType(Protocol):
    """What has an element type."""

    @property
    def dtype(self) -> DType:
        """The element type."""


class SupportsShape(Protocol):
    """What has a shape."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""

"""`jax._src.typing`: for jaxns, haliax and furax, whose annotations name what has an element type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

DType = np.dtype  # and no alias of `np.dtype[Any]`: annotations write `DType[Any]`
DimSize: TypeAlias = int | Any
Shape: TypeAlias = Sequence[DimSize]


class SupportsDType(Protocol):
    """What has an element type."""

    @property
    def dtype(self) -> DType[Any]:
        """The element type."""


class SupportsShape(Protocol):
    """What has a shape."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""

"""`jax._src.core`: for torchax, jax2onnx and oryx, which take helpers about shapes and lists from there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from treadle_ir import ArgumentError
from treadle_ir.errors import shown
from treadle_jax.modules._src.typing import DimSize as DimSize, Shape as Shape
from treadle_jax.modules._src.util import safe_map as safe_map, safe_zip as safe_zip


def canonicalize_shape(shape: Any, context: str = "") -> tuple[int, ...]:  # Any: what is checked
    """Return the sizes of a shape as integers; one integer is a shape of one axis.

    Raises:
        ArgumentError: a size is not an integer. (Also a TypeError.)
    """
    sizes: Iterable[Any] = shape if isinstance(shape, Iterable) else (shape,)
    try:
        return tuple([size.__index__() for size in sizes])
    except (AttributeError, TypeError):
        raise ArgumentError(
            f"shapes are sequences of integers, got {shown(shape)}; {context}".removesuffix("; "),
            fix="pass integers that are known while the function is traced",
        ) from None


def definitely_equal_shape(s1: Sequence[object], s2: Sequence[object]) -> bool:
    """Return whether two shapes are equal whatever their symbolic dimensions are."""
    return len(s1) == len(s2) and all([x is y or bool(x == y) for x, y in zip(s1, s2, strict=True)])

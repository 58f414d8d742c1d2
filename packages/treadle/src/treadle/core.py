"""JAX's names for types and tracers: `Tracer`, `ShapedArray`, `ConcreteArray`, and `x.aval`."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from treadle_ir import (
    Array,
    ArrayType,
    EvalTrace,
    Tracer as Tracer,
    current_trace,
    dtypes,
)


class ShapedArray:
    """What is known of an array before it is computed: shape and element type. An array's `aval`."""

    def __init__(self, shape: tuple[int, ...], dtype: object, weak_type: bool = False) -> None:
        self._type = ArrayType(tuple(shape), np.dtype(dtype), weak_type)  # type: ignore[call-overload]

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self._type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return self._type.dtype

    @property
    def weak_type(self) -> bool:
        """Whether it yields to other operands in promotion."""
        return self._type.weak

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._type.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._type.size

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShapedArray)
            and type(self) is type(other)
            and self._type is other._type
        )

    def __hash__(self) -> int:
        return hash(self._type)

    def str_short(self) -> str:
        """`float32[2,3]`."""
        return f"{dtypes.user_name(self.dtype)}[{','.join(map(str, self.shape))}]"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.str_short()})"


@final
class ConcreteArray(ShapedArray):
    """The `aval` of a concrete tracer: it knows the elements, as `.val`."""

    def __init__(self, val: np.ndarray[Any, np.dtype[Any]], weak_type: bool = False) -> None:
        super().__init__(val.shape, val.dtype, weak_type)
        self.val = val


def aval(x: Array) -> ShapedArray:
    """What is known of an array: with its elements when it is a concrete tracer."""
    if isinstance(x, Tracer):
        elements = x.concrete()
        if elements is not None:
            return ConcreteArray(elements, x.type.weak)
    return ShapedArray(x.type.shape, x.type.dtype, x.type.weak)


def trace_state_clean() -> bool:
    """Whether nothing is being traced in this thread."""
    return isinstance(current_trace(), EvalTrace)

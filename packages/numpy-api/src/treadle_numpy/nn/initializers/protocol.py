"""What an initializer is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from treadle_ir import Array
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.shapes import Shape
from treadle_numpy.random.keys import KeyLike

__all__ = ["Initializer"]


@runtime_checkable
class Initializer(Protocol):
    """A function that makes the initial value of a parameter; for annotations.

    Example:
        >>> from treadle_numpy.nn.initializers import zeros
        >>> isinstance(zeros, Initializer)
        True
    """

    def __call__(
        self,
        key: KeyLike,
        shape: Shape,
        dtype: DTypeLike | None = None,
        out_sharding: Device = None,
    ) -> Array:
        """Return an array of the shape and element type; the default of the initializer if no type is given."""
        ...

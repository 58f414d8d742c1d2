"""Placeholders for arrays: ShapeDtypeStruct, which describes an array's shape, dtype and sharding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from treadle_ir import PartitionSpec, UnsupportedError
from treadle_ir.calling import type_like
from treadle_ir.core import dtypes
from treadle_ir.errors import flags, integers, refused
from treadle_ir.refs import Ref, is_reference
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.placement.format import Format, Layout, row_major, sharding_of_format
from treadle_runtime.placement.placement import PlacedType, default_placement, placement_of
from treadle_runtime.placement.requested import concrete
from treadle_runtime.placement.sharding import Sharding


@final
class ShapeDtypeStruct:
    """Placeholder that describes an array's shape, element type and sharding without its elements.

    With `is_ref` it describes a reference to such an array, as an argument of `eval_shape`.
    """

    __slots__ = ("_ordered", "dtype", "is_ref", "shape", "sharding", "weak_type")

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        *,
        sharding: Any = None,
        weak_type: bool = False,
        is_ref: bool = False,
    ) -> None:
        flags("ShapeDtypeStruct", is_ref=is_ref)
        self.shape = integers("ShapeDtypeStruct", "shape", shape)
        if dtype is None:  # which NumPy takes for float64
            raise refused("ShapeDtypeStruct", "dtype", "an element type", dtype)
        try:
            self.dtype: np.dtype[Any] = np.dtype(dtype)
        except (TypeError, ValueError, RecursionError):  # whatever it is made of
            raise refused("ShapeDtypeStruct", "dtype", "an element type", dtype) from None
        has_format = isinstance(sharding, Format)
        self.sharding = (
            sharding_of_format("ShapeDtypeStruct", sharding, self.ndim) if has_format else sharding
        )
        self._ordered = has_format and isinstance(sharding.layout, Layout)
        self.weak_type = weak_type
        self.is_ref = is_ref

    @classmethod
    def like(cls, x: Any) -> ShapeDtypeStruct:  # Any: whatever has a shape and an element type
        """Return a placeholder with the shape, element type and, if it is committed, the sharding of `x`.

        Raises:
            ArgumentError: `x` does not have a shape and an element type.

        Example:
            >>> ShapeDtypeStruct.like(2.0)
            ShapeDtypeStruct(shape=(), dtype=float32, weak_type=True)
        """
        if isinstance(x, ShapeDtypeStruct):
            return x.update()
        type_ = type_like("ShapeDtypeStruct.like", x)
        committed = isinstance(x, DeviceArray) and x.committed
        return cls(
            type_.shape,
            type_.dtype,
            sharding=x.sharding if committed else None,
            weak_type=type_.weak,
            is_ref=isinstance(x, Ref),
        )

    @property
    def format(self) -> Format:
        """The layout and the sharding; None for each of them that was not given."""
        if self._ordered:
            return Format(row_major(self.ndim), self.sharding)
        return Format(None, self.sharding)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def update(self, **changes: Any) -> ShapeDtypeStruct:
        """Return a copy with the attributes in `changes` replaced."""
        known = {"shape": self.shape, "dtype": self.dtype, "sharding": self._place()}
        flags_known = {"weak_type": self.weak_type, "is_ref": self.is_ref}
        return ShapeDtypeStruct(**{**known, **flags_known, **changes})

    def _place(self) -> Any:  # Any: a sharding, a specification or a format
        return self.format if self._ordered else self.sharding

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a shape without axes")
        return self.shape[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self._place(), self.weak_type, self.is_ref

    def __repr__(self) -> str:
        shape = ", ".join(map(str, self.shape))
        weak = ", weak_type=True" if self.weak_type else ""
        where = f", sharding={self.sharding}" if self.sharding is not None else ""
        order = f", format={self.format.layout}" if self._ordered else ""
        ref = ", is_ref=True" if self.is_ref else ""
        comma = "," if len(self.shape) == 1 else ""
        known = f"shape=({shape}{comma}), dtype={dtypes.user_name(self.dtype)}"
        return f"ShapeDtypeStruct({known}{where}{order}{weak}{ref})"


def refuse_described_ref(leaf: object) -> None:
    """Raise an error if `leaf` describes a reference where only arrays can be described."""
    if isinstance(leaf, ShapeDtypeStruct) and leaf.is_ref:
        raise UnsupportedError(
            "a reference can only be described by a ShapeDtypeStruct as an argument of eval_shape or make_jaxpr",
            fix="pass a reference: new_ref(zeros(shape, dtype))",
        )


def abstract_placed(leaf: Any) -> PlacedType:  # Any: whatever has a shape and an element type
    """Return the type and the placement of an array, a number, or anything with a shape and an element type.

    Raises:
        ArgumentError: `leaf` is none of these.
        ShardingError: its sharding does not fit its shape.
        UnsupportedError: it is or describes a reference.
    """
    if isinstance(leaf, DeviceArray):
        return leaf.placed
    refuse_described_ref(leaf)
    if is_reference(leaf):
        raise UnsupportedError(
            f"{leaf.what} is given to a jitted function that is traced or lowered without being called",
            fix="call the jitted function, or lower a function of `ref[...]` that returns what it writes",
        )
    type_ = type_like("eval_shape", leaf)
    sharding = getattr(leaf, "sharding", None)
    if isinstance(sharding, Sharding | PartitionSpec):
        sharding = concrete("lower", "the sharding of an argument", sharding)
        assert sharding is not None
        sharding.shard_shape(type_.shape)  # raises an error if it does not fit
        return placement_of(sharding, committed=True).of(type_)
    return default_placement().of(type_)

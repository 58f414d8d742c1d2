"""One slice at a computed position, whose starts are clipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, final

from treadle_ir.core import dtypes
from treadle_ir.core.families import Indexing
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


def _check_starts(name: str, operand: ArrayType, starts: Sequence[Type]) -> None:
    if len(starts) != operand.ndim:
        raise ShapeError(f"{name}: {len(starts)} starts for the {operand.ndim} axes of {operand}")
    for start in starts:
        assert isinstance(start, ArrayType)
        if start.shape != ():
            raise ShapeError(f"{name}: a start is {start}, but must be a scalar")
        if not dtypes.is_integer(start.dtype):
            raise DTypeError(f"{name}: a start is {start}, but must be an integer")
        first = starts[0]
        assert isinstance(first, ArrayType)
        if start.dtype != first.dtype:
            raise DTypeError(
                f"{name}: starts have types {first} and {start}, whose element types must be equal"
            )


@register
@final
@frozen
class DynamicSlice(Indexing):
    """A slice of fixed sizes from computed starts; starts are clipped so that the slice is within bounds.

    Constraints:
        (C1) sizes has one entry per axis, at most the axis' size
        (C2) one start per axis; all are scalars of one integer type

    Source: StableHLO specification, `dynamic_slice`.
    """

    name: ClassVar[str] = "dynamic_slice"
    sizes: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type with the sizes of the slice."""
        operand, *starts = operands
        assert isinstance(operand, ArrayType)
        if len(self.sizes) != operand.ndim or not all(
            0 <= n <= size for n, size in zip(self.sizes, operand.shape, strict=True)
        ):  # C1
            raise ShapeError(
                f"dynamic_slice: a slice of sizes {self.sizes} does not fit into {operand}"
            )
        _check_starts(self.name, operand, starts)  # C2
        return (operand.with_shape(self.sizes),)


@register
@final
@frozen
class DynamicUpdateSlice(Indexing):
    """The operand with a slice replaced, from computed starts; they are clipped so that the update is within bounds.

    Constraints:
        (C1) the update has the operand's rank and is not larger along any axis
        (C2) operand and update have one element type
        (C3) one start per axis; all are scalars of one integer type

    Source: StableHLO specification, `dynamic_update_slice`.
    """

    name: ClassVar[str] = "dynamic_update_slice"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type; weak if the update is, too."""
        operand, update, *starts = operands
        assert isinstance(operand, ArrayType)
        assert isinstance(update, ArrayType)
        if update.ndim != operand.ndim or any(
            n > size for n, size in zip(update.shape, operand.shape, strict=True)
        ):  # C1
            raise ShapeError(
                f"dynamic_update_slice: an update {update} does not fit into {operand}"
            )
        if update.dtype != operand.dtype:  # C2
            raise DTypeError(
                f"dynamic_update_slice: operand and update have types {operand} and {update}, "
                "whose element types must be equal",
                fix="convert the update first with .astype(...)",
            )
        _check_starts(self.name, operand, starts)  # C3
        return (ArrayType(operand.shape, operand.dtype, operand.weak and update.weak),)


def dynamic_slice(operand: Operand, *starts: Operand, sizes: tuple[int, ...]) -> Array:
    """Return a slice of fixed sizes from computed starts, clipped so that the slice is within bounds."""
    return bind(DynamicSlice(sizes), operand, *starts)[0]


_DYNAMIC_UPDATE_SLICE: Final = DynamicUpdateSlice()


def dynamic_update_slice(operand: Operand, update: Operand, *starts: Operand) -> Array:
    """Return the operand with a slice replaced, from computed starts, clipped so that the update is within bounds."""
    return bind(_DYNAMIC_UPDATE_SLICE, operand, update, *starts)[0]

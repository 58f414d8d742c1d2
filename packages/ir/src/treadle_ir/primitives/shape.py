"""Shape: the same elements, broadcast, rearranged, joined, padded or selected by position.

No element is computed: every primitive here is linear in its operands, preserves the element type, and preserves
the weak mark if all operands have it. Axes are counted from 0 and are never negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from treadle_ir.core.families import Rearrangement
from treadle_ir.core.registry import register
from treadle_ir.core.sizes import max_dim
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


def array_operand(name: str, operand: Type) -> ArrayType:
    """Return the operand's type, which must be an array type.

    Raises:
        DTypeError: it is not an array.
    """
    if not isinstance(operand, ArrayType):
        raise DTypeError(f"{name}: an operand is a {operand}, not an array")
    return operand


def check_axes(name: str, attribute: str, axes: tuple[int, ...], type: ArrayType) -> None:
    """Refuse axes that are repeated or out of range.

    Raises:
        ShapeError: an axis is repeated or out of range.
    """
    for axis in axes:
        if not 0 <= axis < type.ndim:
            raise ShapeError(
                f"{name}: {attribute} has {axis}, but the operand {type} has axes 0 to {type.ndim - 1}"
                if type.ndim
                else f"{name}: {attribute} has {axis}, but the operand {type} has no axes",
                fix="count axes from 0; a negative axis counts from the end in treadle.numpy only",
            )
    if len(set(axes)) != len(axes):
        raise ShapeError(f"{name}: {attribute} is {axes}, which names an axis twice")


def _check_length(name: str, attribute: str, values: tuple[int, ...], type: ArrayType) -> None:
    if len(values) != type.ndim:
        raise ShapeError(
            f"{name}: {attribute} is {values}, with {len(values)} entries, but the operand {type} has "
            f"{type.ndim} axes",
            fix=f"give {attribute} one entry for each axis of the operand",
        )


def _check_sizes(name: str, shape: tuple[int, ...]) -> None:
    if any(n < 0 for n in shape):
        raise ShapeError(
            f"{name}: shape is {shape}, but a size cannot be negative",
            fix="write the size out; only treadle.numpy.reshape works out a -1",
        )


@register
@final
@frozen
class BroadcastInDim(Rearrangement):
    """The operand repeated along new axes, and along its axes of size 1.

    Axis `i` of the operand becomes axis `dimensions[i]` of the result.

    Constraints:
        (C1) dimensions has one entry for each axis of the operand
        (C2) dimensions are axes of the result, strictly increasing
        (C3) axis i of the operand has size 1 or the size of axis dimensions[i] of the result
        (C4) sizes are not negative

    Source: StableHLO specification, `broadcast_in_dim` (which lets dimensions come in any order).
    """

    name: ClassVar[str] = "broadcast_in_dim"
    shape: tuple[int, ...]
    dimensions: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's element type in the new shape."""
        x = array_operand(self.name, operands[0])
        shape, dimensions = self.shape, self.dimensions
        _check_length(self.name, "dimensions", dimensions, x)  # C1
        previous = -1
        for size, dimension in zip(x.shape, dimensions, strict=True):
            if not previous < dimension < len(shape):  # C2
                raise ShapeError(
                    f"broadcast_in_dim: dimensions are {dimensions}, which must increase and be axes of "
                    f"the shape {shape}",
                    fix="transpose first to change the order of axes",
                )
            previous = dimension
            if size not in (1, shape[dimension]):  # C3
                raise ShapeError(
                    f"broadcast_in_dim: the operand {x} has size {size} where the shape {shape} has "
                    f"{shape[dimension]} (its axis {dimension}), which must be equal, or the operand's 1"
                )
        _check_sizes(self.name, shape)  # C4
        return (x.with_shape(shape),)


@register
@final
@frozen
class Reshape(Rearrangement):
    """The same elements in the same (row-major) order in another shape.

    Constraints:
        (C1) sizes are not negative
        (C2) the shape has as many elements as the operand

    Source: StableHLO specification, `reshape`.
    """

    name: ClassVar[str] = "reshape"
    shape: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's element type in the new shape."""
        x = array_operand(self.name, operands[0])
        _check_sizes(self.name, self.shape)  # C1
        size = 1
        for n in self.shape:
            size *= n
        if size != x.size:  # C2
            raise ShapeError(
                f"reshape: the operand {x} has {x.size} elements, but the shape {self.shape} has {size}"
            )
        return (x.with_shape(self.shape),)


@register
@final
@frozen
class Transpose(Rearrangement):
    """The axes in another order: axis `i` of the result is axis `permutation[i]` of the operand.

    Constraints:
        (C1) permutation has each axis of the operand once

    Source: StableHLO specification, `transpose`.
    """

    name: ClassVar[str] = "transpose"
    permutation: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type with its sizes permuted."""
        x = array_operand(self.name, operands[0])
        if sorted(self.permutation) != list(range(x.ndim)):  # C1
            raise ShapeError(
                f"transpose: permutation is {self.permutation}, but must have each axis of the operand {x} once"
            )
        return (x.with_shape(tuple([x.shape[axis] for axis in self.permutation])),)


@register
@final
@frozen
class Reverse(Rearrangement):
    """The elements in the opposite order along some axes.

    Constraints:
        (C1) dimensions are axes of the operand, each once

    Source: StableHLO specification, `reverse`.
    """

    name: ClassVar[str] = "reverse"
    dimensions: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        x = array_operand(self.name, operands[0])
        check_axes(self.name, "dimensions", self.dimensions, x)  # C1
        return (x,)


@register
@final
@frozen
class Concatenate(Rearrangement):
    """The operands, one after the other, along an axis.

    Constraints:
        (C1) there is at least one operand
        (C2) the operands have one element type
        (C3) dimension is an axis of the operands
        (C4) the operands have the same number of axes, and equal sizes on all but this one

    Source: StableHLO specification, `concatenate`.
    """

    name: ClassVar[str] = "concatenate"
    dimension: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operands' type with their sizes along the axis added."""
        if not operands:  # C1
            raise ShapeError("concatenate: no operands, but it needs at least one")
        first = array_operand(self.name, operands[0])
        axis = self.dimension
        size, weak = 0, True
        for i, operand in enumerate(operands):
            x = array_operand(self.name, operand)
            if x.dtype != first.dtype:  # C2
                raise DTypeError(
                    f"concatenate: operands 0 and {i} are {first} and {x}, whose element types must be equal",
                    fix="convert first with .astype(...), or use treadle.numpy.concatenate, which promotes",
                )
            if i == 0:
                check_axes(self.name, "dimension", (axis,), x)  # C3
            if x.ndim != first.ndim or x.shape[:axis] + x.shape[axis + 1 :] != (
                first.shape[:axis] + first.shape[axis + 1 :]
            ):  # C4
                raise ShapeError(
                    f"concatenate: operands 0 and {i} are {first} and {x}, whose sizes must be equal on all axes "
                    f"but {axis}"
                )
            size += x.shape[axis]
            weak = weak and x.weak
        return (
            ArrayType((*first.shape[:axis], size, *first.shape[axis + 1 :]), first.dtype, weak),
        )


@register
@final
@frozen
class Pad(Rearrangement):
    """`x` with copies of the scalar `value` before (low), after (high) and between (interior) its elements.

    Negative low and high remove elements instead, after the interior padding.

    Constraints:
        (C1) the value is a scalar of the element type of x
        (C2) low, high and interior have one entry for each axis of x
        (C3) interior is not negative
        (C4) no size of the result is negative

    Source: StableHLO specification, `pad`.
    """

    name: ClassVar[str] = "pad"
    low: tuple[int, ...]
    high: tuple[int, ...]
    interior: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of x with the padding added to its sizes."""
        x, value = (array_operand(self.name, operand) for operand in operands)
        if value.shape != () or value.dtype != x.dtype:  # C1
            raise (ShapeError if value.shape else DTypeError)(
                f"pad: the value is {value}, but must be a scalar of the element type of {x}"
            )
        _check_length(self.name, "low", self.low, x)  # C2
        _check_length(self.name, "high", self.high, x)
        _check_length(self.name, "interior", self.interior, x)
        if any(n < 0 for n in self.interior):  # C3
            raise ShapeError(
                f"pad: interior is {self.interior}, but must not be negative",
                fix="take elements out with lax.slice and strides",
            )
        shape = tuple(
            [
                low + n + (max_dim(n - 1, 0) * interior if interior else 0) + high
                for n, low, high, interior in zip(
                    x.shape, self.low, self.high, self.interior, strict=True
                )
            ]
        )
        if any(n < 0 for n in shape):  # C4
            raise ShapeError(
                f"pad: low {self.low}, high {self.high} and interior {self.interior} make {x} the shape {shape}, "
                "but a size cannot be negative"
            )
        return (ArrayType(shape, x.dtype, x.weak and value.weak),)


@register
@final
@frozen
class Slice(Rearrangement):
    """The elements at `start`, `start + stride`, ... below `limit`, on each axis.

    Constraints:
        (C1) start, limit and strides have one entry for each axis of the operand
        (C2) 0 <= start <= limit <= size on each axis
        (C3) strides are at least 1

    Source: StableHLO specification, `slice`.
    """

    name: ClassVar[str] = "slice"
    start: tuple[int, ...]
    limit: tuple[int, ...]
    strides: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type with the number of selected elements as sizes."""
        x = array_operand(self.name, operands[0])
        _check_length(self.name, "start", self.start, x)  # C1
        _check_length(self.name, "limit", self.limit, x)
        _check_length(self.name, "strides", self.strides, x)
        shape = []
        for axis, (size, start, limit, stride) in enumerate(
            zip(x.shape, self.start, self.limit, self.strides, strict=True)
        ):
            if not 0 <= start <= limit <= size:  # C2
                raise ShapeError(
                    f"slice: start {start} and limit {limit} on axis {axis} of {x}, but must be "
                    f"0 <= start <= limit <= {size}",
                    fix="slice with x[...], which understands negative and missing bounds",
                )
            if stride < 1:  # C3
                raise ShapeError(
                    f"slice: stride {stride} on axis {axis} of {x}, but strides are at least 1",
                    fix="reverse the slice with lax.rev" if stride < 0 else None,
                )
            shape.append((limit - start + stride - 1) // stride)
        return (x.with_shape(tuple(shape)),)


def broadcast_in_dim(x: Operand, *, shape: Sequence[int], dimensions: Sequence[int]) -> Array:
    """Return the operand repeated along new axes, and along its axes of size 1; its axis i becomes dimensions[i]."""
    return bind(BroadcastInDim(tuple(shape), tuple(dimensions)), x)[0]


def reshape(x: Operand, *, shape: Sequence[int]) -> Array:
    """Return the same elements in the same (row-major) order in another shape."""
    return bind(Reshape(tuple(shape)), x)[0]


def transpose(x: Operand, *, permutation: Sequence[int]) -> Array:
    """Return the axes in another order: axis `i` of the result is axis `permutation[i]` of the operand."""
    return bind(Transpose(tuple(permutation)), x)[0]


def reverse(x: Operand, *, dimensions: Sequence[int]) -> Array:
    """Return the elements in the opposite order along some axes."""
    return bind(Reverse(tuple(dimensions)), x)[0]


def concatenate(operands: Sequence[Operand], *, dimension: int) -> Array:
    """Return the operands, one after the other, along an axis."""
    return bind(Concatenate(dimension), *operands)[0]


def pad(
    x: Operand,
    value: Operand,
    *,
    low: Sequence[int],
    high: Sequence[int],
    interior: Sequence[int] | None = None,
) -> Array:
    """Return `x` with copies of `value` before, after and (`interior`) between its elements; negative removes some."""
    between = (0,) * len(low) if interior is None else tuple(interior)
    return bind(Pad(tuple(low), tuple(high), between), x, value)[0]


def slice(
    x: Operand, *, start: Sequence[int], limit: Sequence[int], strides: Sequence[int] | None = None
) -> Array:
    """Return the elements at `start`, `start + stride`, ... below `limit`, on each axis."""
    steps = (1,) * len(start) if strides is None else tuple(strides)
    return bind(Slice(tuple(start), tuple(limit), steps), x)[0]

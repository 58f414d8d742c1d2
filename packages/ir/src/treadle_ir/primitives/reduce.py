"""Reductions: the elements along some axes combined into one, by an operation that has an identity.

The reduced axes disappear. If they have no elements, the result is the identity: 0, 1, the least or the
greatest value of the element type. Sums and products of 16-bit and 8-bit floats are accumulated in f32 and
rounded once. The weak mark is preserved; argmax and argmin return positions, which are never weak.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType
from treadle_ir.core.families import Reducing
from treadle_ir.core.registry import register
from treadle_ir.core.sizes import Symbolic
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.primitives.elementwise import check_kind
from treadle_ir.primitives.shape import array_operand, check_axes
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


@frozen
class Reduction(Reducing):
    """Family: one operand, reduced over `axes`, which disappear.

    Constraints:
        (C1) axes are axes of the operand, each once, in increasing order
        (C2) the operation has a meaning for the element type
    """

    kinds: ClassVar[str]  # the element types it takes, letters of `biufc`
    axes: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type without the reduced axes."""
        x = array_operand(self.name, operands[0])
        check_axes(self.name, "axes", self.axes, x)  # C1
        if list(self.axes) != sorted(self.axes):
            raise ShapeError(f"{self.name}: axes are {self.axes}, but must be in increasing order")
        check_kind(self.name, self.kinds, x.dtype)  # C2
        return (
            x.with_shape(tuple([n for axis, n in enumerate(x.shape) if axis not in self.axes])),
        )


@register
@final
class ReduceAdd(Reduction):
    """The sum of the elements along some axes; 0 if there are none."""

    __slots__ = ()
    name: ClassVar[str] = "reduce_add"
    kinds: ClassVar[str] = "iufc"


@register
@final
class ReduceMultiply(Reduction):
    """The product of the elements along some axes; 1 if there are none."""

    __slots__ = ()
    name: ClassVar[str] = "reduce_multiply"
    kinds: ClassVar[str] = "iufc"


@register
@final
@frozen
class ReduceMaximum(Reduction):
    """The greatest element along some axes: NaN if any is NaN, the least value of the type if there are none.

    Complex numbers are ordered by real part, then by imaginary part; if there are no elements the result is minus
    infinity, without imaginary part, and if one is NaN both parts are NaN.

    Without `keeps_nan` the result is unspecified if one is NaN, for uses that find NaN anyway, such as a sum of
    exponentials. XLA:CPU then computes it faster, and fuses it with the operations that follow.
    """

    name: ClassVar[str] = "reduce_maximum"
    kinds: ClassVar[str] = "biufc"
    keeps_nan: bool = True


@register
@final
class ReduceMinimum(Reduction):
    """The least element along some axes: NaN if any is NaN, the greatest value of the type if there are none.

    Complex numbers are ordered as for `ReduceMaximum`; if there are no elements the result is infinity.
    """

    __slots__ = ()
    name: ClassVar[str] = "reduce_minimum"
    kinds: ClassVar[str] = "biufc"


@register
@final
class ReduceAnd(Reduction):
    """The bitwise and of the elements along some axes; all bits are set if there are none."""

    __slots__ = ()
    name: ClassVar[str] = "reduce_and"
    kinds: ClassVar[str] = "biu"


@register
@final
class ReduceOr(Reduction):
    """The bitwise or of the elements along some axes; no bit is set if there are none."""

    __slots__ = ()
    name: ClassVar[str] = "reduce_or"
    kinds: ClassVar[str] = "biu"


@register
@final
class ReduceXor(Reduction):
    """The bitwise exclusive or of the elements along some axes; no bit is set if there are none."""

    __slots__ = ()
    name: ClassVar[str] = "reduce_xor"
    kinds: ClassVar[str] = "biu"


@frozen
class ArgReduction(Reducing):
    """Family: the position of one element along an axis, which disappears.

    Constraints:
        (C1) axis is an axis of the operand
        (C2) the axis has at least one element
        (C3) complex numbers have no order
        (C4) dtype is an integer type that can hold every position
    """

    axis: int
    dtype: DType

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return integers in the operand's shape without the axis."""
        x = array_operand(self.name, operands[0])
        check_axes(self.name, "axis", (self.axis,), x)  # C1
        if x.shape[self.axis] == 0:  # C2
            raise ShapeError(
                f"{self.name}: axis {self.axis} of {x} has no elements, so there is no position"
            )
        check_kind(self.name, "biuf", x.dtype)  # C3
        if not dtypes.is_integer(self.dtype):  # C4
            raise DTypeError(
                f"{self.name}: dtype is {dtypes.dtype_name(self.dtype)}, but positions are integers"
            )
        bits = dtypes.bit_width(self.dtype)
        size = x.shape[self.axis]
        if not isinstance(size, Symbolic) and size > 2 ** (bits - dtypes.is_signed(self.dtype)):
            raise DTypeError(
                f"{self.name}: {dtypes.dtype_name(self.dtype)} cannot hold every position along axis {self.axis} of {x}"
            )
        return (ArrayType(x.shape[: self.axis] + x.shape[self.axis + 1 :], self.dtype),)


@register
@final
class Argmax(ArgReduction):
    """The position of the greatest element along an axis: of the first NaN if there is one, else the first."""

    __slots__ = ()
    name: ClassVar[str] = "argmax"


@register
@final
class Argmin(ArgReduction):
    """The position of the least element along an axis: of the first NaN if there is one, else the first."""

    __slots__ = ()
    name: ClassVar[str] = "argmin"


def reduce_add(x: Operand, *, axes: Sequence[int]) -> Array:
    """Return the sum along some axes."""
    return bind(ReduceAdd(tuple(axes)), x)[0]


def reduce_multiply(x: Operand, *, axes: Sequence[int]) -> Array:
    """Return the product along some axes."""
    return bind(ReduceMultiply(tuple(axes)), x)[0]


def reduce_maximum(x: Operand, *, axes: Sequence[int]) -> Array:
    """Return the greatest element along some axes; NaN if one is NaN."""
    return bind(ReduceMaximum(tuple(axes)), x)[0]


def reduce_minimum(x: Operand, *, axes: Sequence[int]) -> Array:
    """Return the least element along some axes; NaN if one is NaN."""
    return bind(ReduceMinimum(tuple(axes)), x)[0]


def reduce_and(x: Operand, *, axes: Sequence[int]) -> Array:
    """Return the bitwise and of the elements along some axes; of booleans, whether all are true."""
    return bind(ReduceAnd(tuple(axes)), x)[0]


def reduce_or(x: Operand, *, axes: Sequence[int]) -> Array:
    """Return the bitwise or of the elements along some axes; of booleans, whether any is true."""
    return bind(ReduceOr(tuple(axes)), x)[0]


def reduce_xor(x: Operand, *, axes: Sequence[int]) -> Array:
    """Return the bitwise exclusive or of the elements along some axes."""
    return bind(ReduceXor(tuple(axes)), x)[0]


def argmax(x: Operand, *, axis: int, dtype: DType) -> Array:
    """Return the position of the greatest element along an axis: of the first NaN if there is one, else the first."""
    return bind(Argmax(axis, np.dtype(dtype)), x)[0]


def argmin(x: Operand, *, axis: int, dtype: DType) -> Array:
    """Return the position of the least element along an axis: of the first NaN if there is one, else the first."""
    return bind(Argmin(axis, np.dtype(dtype)), x)[0]

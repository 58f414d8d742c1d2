"""Families of elementwise operations by number of operands, and checks of types."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType
from treadle_ir.core.families import Elementwise
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError

_KINDS: Final = {
    "b": ("boolean", dtypes.is_bool),
    "i": ("signed integer", dtypes.is_signed),
    "u": ("unsigned integer", dtypes.is_unsigned),
    "f": ("floating", dtypes.is_floating),
    "c": ("complex", dtypes.is_complex),
    "k": ("random keys", dtypes.is_key),
}


def check_kind(name: str, kinds: str, dtype: DType) -> None:
    """Refuse an element type that is not of one of these kinds (letters of `biufck`).

    Raises:
        DTypeError: it is of a different kind.
    """
    if not any(_KINDS[kind][1](dtype) for kind in kinds):
        wanted = ", ".join(_KINDS[kind][0] for kind in kinds)
        raise DTypeError(
            f"{name}: operands are {dtypes.dtype_name(dtype)}, but it takes {wanted}",
            fix="convert the operand first (`.astype(...)`)",
        )


def common_type(name: str, operands: tuple[Type, ...]) -> ArrayType:
    """Return the type that elementwise operands share.

    Constraints:
        (C1) all shapes that are not () are equal
        (C2) all element types are equal

    Raises:
        ShapeError: C1.
        DTypeError: C2, or an operand is not an array.
    """
    shape: tuple[int, ...] = ()
    weak = True
    first = operands[0]
    assert isinstance(first, ArrayType)
    for operand in operands:
        if not isinstance(operand, ArrayType):
            raise DTypeError(f"{name}: an operand is a {operand}, not an array")
        if operand.shape != shape and operand.shape != ():  # C1
            if shape != ():
                listed = " and ".join(map(str, operands))
                raise ShapeError(
                    f"{name}: operands have types {listed}, whose shapes must be equal",
                    fix="broadcast first with lax.broadcast_in_dim, or use the function of treadle.numpy",
                )
            shape = operand.shape
        if operand.dtype is not first.dtype and operand.dtype != first.dtype:  # C2
            listed = " and ".join(map(str, operands))
            raise DTypeError(
                f"{name}: operands have types {listed}, whose element types must be equal",
                fix="convert first with .astype(...), or use the function of treadle.numpy, which promotes",
            )
        weak = weak and operand.weak
    return ArrayType(shape, first.dtype, weak)


class Unary(Elementwise):
    """Family: one operand; the result has its type."""

    __slots__ = ()
    kinds: ClassVar[str]  # the element types it takes, letters of `biufc`

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds, x.dtype)
        return (x,)


class RealPart(Unary):
    """Family: one operand; the result has the type of a complex number's parts."""

    __slots__ = ()

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type, real."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds, x.dtype)
        return (ArrayType(x.shape, dtypes.real_part(x.dtype), x.weak),)


class Predicate(Unary):
    """Family: one operand; the result is a boolean for each element."""

    __slots__ = ()

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return a boolean of the operand's shape."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds, x.dtype)
        return (ArrayType(x.shape, np.dtype(np.bool_)),)


class Binary(Elementwise):
    """Family: two operands of one element type; the result has their type."""

    __slots__ = ()
    kinds: ClassVar[str]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type that the operands share."""
        x, y = operands
        type = common_type(self.name, (x, y))
        check_kind(self.name, self.kinds, type.dtype)
        return (type,)


class OfParts(Binary):
    """Family: the real and the imaginary part; the result is the complex number."""

    __slots__ = ()

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the complex type of the parts' type, which is f32 or f64."""
        type = common_type(self.name, operands)
        if type.dtype not in (np.float32, np.float64):
            raise DTypeError(
                f"{self.name}: parts are {dtypes.dtype_name(type.dtype)}, but must be f32 or f64"
            )
        return (ArrayType(type.shape, dtypes.complex_of(type.dtype), type.weak),)


class Several(Elementwise):
    """Family: three operands or more, floating, of one element type; the result has their type."""

    __slots__ = ()
    kinds: ClassVar[str]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type that the operands share."""
        type = common_type(self.name, operands)
        check_kind(self.name, self.kinds, type.dtype)
        return (type,)

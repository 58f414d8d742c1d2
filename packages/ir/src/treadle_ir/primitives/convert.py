"""Conversion of element types: convert, bitcast_convert, reduce_precision, copy."""

from __future__ import annotations

from typing import ClassVar, Final, final

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType
from treadle_ir.core.families import Conversion
from treadle_ir.core.primitive import Attributeless
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.primitives.elementwise import Unary, check_kind
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


@register
@final
@frozen
class Convert(Conversion):
    """The same numbers in another element type.

    Floats to integers round toward zero and saturate, NaN becomes 0; anything to boolean is `x != 0`;
    complex to real keeps the real part. `weak` says whether the result is weak.

    Constraints:
        (C1) random keys are converted to keys of their own type only, and nothing else is converted to keys
        (C2) libraries' element types are converted to and from the element types that their rules allow
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "convert"
    dtype: DType
    weak: bool = False

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's shape with the new element type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        if x.dtype != self.dtype and (
            dtypes.is_extended(x.dtype) or dtypes.is_extended(self.dtype)
        ):
            self._check_extended(x)
        return (ArrayType(x.shape, self.dtype, self.weak),)

    def _check_extended(self, x: ArrayType) -> None:
        keys = dtypes.is_key(x.dtype), dtypes.is_key(self.dtype)
        if any(keys):  # C1
            if all(keys):
                raise DTypeError(
                    f"convert: {x} cannot be made keys of another generator, {dtypes.dtype_name(self.dtype)}",
                    fix="make a key of a seed with `random.key(seed, impl=...)`, or with `random.wrap_key_data`",
                )
            if dtypes.is_key(x.dtype):
                raise dtypes.key_refused(f"convert to {dtypes.dtype_name(self.dtype)}")
            raise DTypeError(
                f"convert: {x} cannot be made random keys",
                fix="make a key of a seed with `random.key(seed)`, or of words with `random.wrap_key_data(words)`",
            )
        if not dtypes.convertible(x.dtype, self.dtype):  # C2
            raise DTypeError(
                f"Cannot convert_element_type from {dtypes.user_name(x.dtype)} to {dtypes.user_name(self.dtype)}",
                fix="convert to and from the element types that the rules of the library's type allow",
            )


@register
@final
@frozen
class BitcastConvert(Conversion):
    """The same bits read as another element type of the same width.

    Constraints:
        (C1) both element types have the same number of bits; a 4-bit integer has 4
        (C2) both are boolean or neither; both are complex or neither
        (C3) neither is the type of random keys

    Raises:
        DTypeError: C1, C2 or C3.

    Source: StableHLO specification, `bitcast_convert`, without its change of rank.
    """

    name: ClassVar[str] = "bitcast_convert"
    dtype: DType

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's shape with the new element type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        own, new = dtypes.bit_width(x.dtype), dtypes.bit_width(self.dtype)
        wanted = dtypes.dtype_name(self.dtype)
        if dtypes.is_key(self.dtype):  # C3
            raise DTypeError(
                f"bitcast_convert: {x} cannot be read as random keys",
                fix="use random.wrap_key_data, which takes two 32-bit words for each key",
            )
        if own != new:  # C1
            raise DTypeError(
                f"bitcast_convert: {x} cannot be read as {wanted}, whose elements have {new} bits, not {own}",
                fix="use lax.bitcast_convert_type, which splits or joins elements along the last axis",
            )
        for kind, is_kind in (("boolean", dtypes.is_bool), ("complex", dtypes.is_complex)):
            if is_kind(x.dtype) != is_kind(self.dtype):  # C2
                raise DTypeError(
                    f"bitcast_convert: {x} cannot be read as {wanted}: both must be {kind}, or neither",
                    fix="use the array's `.view(dtype)`",
                )
        return (ArrayType(x.shape, self.dtype),)


@register
@final
@frozen
class ReducePrecision(Unary):
    """Floats rounded to fewer exponent and mantissa bits, in the same element type."""

    name: ClassVar[str] = "reduce_precision"
    kinds: ClassVar[str] = "f"
    exponent_bits: int
    mantissa_bits: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds, x.dtype)
        if self.exponent_bits < 1 or self.mantissa_bits < 0:
            raise ShapeError("reduce_precision: needs at least 1 exponent bit and 0 mantissa bits")
        return (x,)


@register
@final
class Copy(Attributeless, Unary):
    """The same array in a new buffer."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "copy"
    kinds: ClassVar[str] = "biufck"


_COPY: Final = Copy()


def convert(x: Operand, *, dtype: DType, weak: bool = False) -> Array:
    """Return the same numbers in another element type."""
    return bind(Convert(dtype, weak), x)[0]


def bitcast_convert(x: Operand, *, dtype: DType) -> Array:
    """Return the same bits read as another element type of the same width."""
    return bind(BitcastConvert(dtype), x)[0]


def reduce_precision(x: Operand, *, exponent_bits: int, mantissa_bits: int) -> Array:
    """Return floats rounded to fewer exponent and mantissa bits, in the same element type."""
    return bind(ReducePrecision(exponent_bits, mantissa_bits), x)[0]


def copy(x: Operand) -> Array:
    """Return the same array in a new buffer."""
    return bind(_COPY, x)[0]

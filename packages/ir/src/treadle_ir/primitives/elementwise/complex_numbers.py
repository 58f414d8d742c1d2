"""Complex numbers and their parts."""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np

from treadle_ir import dtypes
from treadle_ir.array import Array, Operand
from treadle_ir.errors import DTypeError
from treadle_ir.primitive import Attributeless
from treadle_ir.primitives.elementwise.families import Binary, RealPart, Unary, common_type
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import ArrayType, Type


@register
@final
class Conjugate(Attributeless, Unary):
    """The complex conjugate."""

    __slots__ = ()
    name: ClassVar[str] = "conjugate"
    kinds: ClassVar[str] = "c"


@register
@final
class Imag(Attributeless, RealPart):
    """The imaginary part, which is real."""

    __slots__ = ()
    name: ClassVar[str] = "imag"
    kinds: ClassVar[str] = "c"


@register
@final
class Real(Attributeless, RealPart):
    """The real part, which is real."""

    __slots__ = ()
    name: ClassVar[str] = "real"
    kinds: ClassVar[str] = "c"


@register
@final
class Complex(Attributeless, Binary):
    """The complex number with these real and imaginary parts."""

    __slots__ = ()
    name: ClassVar[str] = "complex"
    kinds: ClassVar[str] = "f"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The complex type of the parts' type, which is f32 or f64."""
        type = common_type(self.name, operands)
        if type.dtype not in (np.float32, np.float64):
            raise DTypeError(
                f"complex: parts are {dtypes.dtype_name(type.dtype)}, but must be f32 or f64"
            )
        return (ArrayType(type.shape, dtypes.complex_of(type.dtype), type.weak),)


def complex(x: Operand, y: Operand) -> Array:
    """The complex number with these real and imaginary parts."""
    return bind(Complex(), x, y)[0]


_CONJUGATE: Final = Conjugate()


def conjugate(x: Operand) -> Array:
    """The complex conjugate."""
    return bind(_CONJUGATE, x)[0]


_IMAG: Final = Imag()


def imag(x: Operand) -> Array:
    """The imaginary part, which is real."""
    return bind(_IMAG, x)[0]


_REAL: Final = Real()


def real(x: Operand) -> Array:
    """The real part, which is real."""
    return bind(_REAL, x)[0]

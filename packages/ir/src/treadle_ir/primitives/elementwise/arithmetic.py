"""Arithmetic: sums, products, powers, roots, maxima and minima."""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np

from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.primitives.elementwise.families import Binary, RealPart, Unary, check_kind
from treadle_ir.primitives.elementwise.operations import Op, declare
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

OPERATIONS: Final = declare(
    __name__,
    Op("abs", RealPart, "iufc", "`|x|`; the modulus of a complex number, which is real."),
    Op("cbrt", Unary, "f", "Cube root.", np.cbrt, "stablehlo.cbrt", domain=(0.2, 4.0)),
    Op(
        "negate",
        Unary,
        "iufc",
        "`-x`; unsigned integers wrap around.",
        np.negative,
        "stablehlo.negate",
        widens=True,
    ),
    Op("rsqrt", Unary, "fc", "`1 / sqrt(x)`.", hlo="stablehlo.rsqrt", domain=(0.3, 3.0)),
    Op(
        "sign",
        Unary,
        "ifc",
        "-1, 0 or 1 (NaN stays NaN); of a complex number, `x / |x|`.",
        hlo="stablehlo.sign",
    ),
    Op("sqrt", Unary, "fc", "Square root.", np.sqrt, domain=(0.3, 3.0)),
    Op("square", Unary, "iufc", "`x * x`.", np.square, widens=True),
    Op("add", Binary, "biufc", "`x + y`; of booleans, `x or y`.", np.add, "stablehlo.add"),
    Op(
        "divide",
        Binary,
        "iufc",
        "`x / y`; of integers, the quotient rounded toward zero.",
        hlo="stablehlo.divide",
        domain=(0.3, 3.0),
    ),
    Op(
        "maximum",
        Binary,
        "biufc",
        "The greater of the two, of complex numbers by real part, then by imaginary part; NaN if one is NaN.",
        np.maximum,
        widens=True,
    ),
    Op(
        "minimum",
        Binary,
        "biufc",
        "The lesser of the two, of complex numbers by real part, then by imaginary part; NaN if one is NaN.",
        np.minimum,
        widens=True,
    ),
    Op(
        "multiply",
        Binary,
        "biufc",
        "`x * y`; of booleans, `x and y`.",
        np.multiply,
        "stablehlo.multiply",
    ),
    Op(
        "next_after",
        Binary,
        "f",
        "The next number after `x` in the direction of `y`.",
        np.nextafter,
        "chlo.next_after",
    ),
    Op("power", Binary, "iufc", "`x ** y`.", domain=(0.3, 3.0)),
    Op(
        "remainder",
        Binary,
        "iuf",
        "The remainder of `x / y` with the quotient rounded toward zero; it has the sign of `x`.",
        hlo="stablehlo.remainder",
        domain=(0.7, 5.0),
    ),
    Op("subtract", Binary, "iufc", "`x - y`.", np.subtract, "stablehlo.subtract"),
)


@register
@final
@frozen
class IntegerPower(Unary):
    """`x ** exponent` for a fixed integer: by repeated squaring, exact for integers."""

    name: ClassVar[str] = "integer_power"
    kinds: ClassVar[str] = "iufc"
    exponent: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type; a negative exponent needs a floating or complex one."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds if self.exponent >= 0 else "fc", x.dtype)
        return (x,)


def integer_power(x: Operand, *, exponent: int) -> Array:
    """Return `x ** exponent` for a fixed integer: by repeated squaring, exact for integers."""
    return bind(IntegerPower(exponent), x)[0]

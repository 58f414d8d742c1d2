"""Functions of real and complex numbers: XLA computes the complex, which are corrected at the ends (`complex_ends.py`).

Of sine, cosine and their hyperbolic kin one part is computed again. XLA takes the hyperbolic sine of a part for half
the difference of two exponentials, of which nothing is left where the part is small: `sin(1e-10 + 2e-10j)` is real
there, in complex64, and signs of zeros are lost. Near zero that part of the result is a product with a hyperbolic sine
of its own; further out, and where the wave has no value, XLA's stays.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rules
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import Primitive
from treadle_ir.core import dtypes
from treadle_ir.primitives import elementwise as e

_OPERATIONS: Final[dict[type[Primitive], str]] = {
    e.Acos: "chlo.acos",
    e.Acosh: "chlo.acosh",
    e.Asin: "chlo.asin",
    e.Asinh: "chlo.asinh",
    e.Atan: "chlo.atan",
    e.Exponential: "stablehlo.exponential",
    e.ExponentialMinusOne: "stablehlo.exponential_minus_one",
    e.Log: "stablehlo.log",
    e.LogPlusOne: "stablehlo.log_plus_one",
    e.Sqrt: "stablehlo.sqrt",
    e.Tan: "stablehlo.tan",
    e.Tanh: "stablehlo.tanh",
}
_NEAR: Final = 16.0  # far from where exponentials overflow


def function_of(context: LoweringContext, primitive: Primitive, op: str, x: HloValue) -> HloValue:
    """An operation of XLA's on real or complex numbers, for which the latter's ends are put right."""
    type = emit.result_type(context)
    if x.type is not type:  # another shape, or only another weak mark
        x = context.broadcast_scalar(x, type)
    result = context.one(op, [x], type)
    if not dtypes.is_complex(type.dtype):
        return result
    from treadle_compiler.lowering.complex_ends import with_ends  # noqa: PLC0415 - few are complex

    return with_ends(context, primitive, x, emit.parts(context, result))


def _operation(primitive: type[Primitive], op: str) -> None:
    def rule(context: LoweringContext, primitive: Primitive, /, x: HloValue) -> HloValues:
        return [function_of(context, primitive, op, x)]

    lowering_rules.register(primitive, rule)


for _primitive, _op in _OPERATIONS.items():
    _operation(_primitive, _op)


def _register(
    primitive: type[e.Unary], op: str, *, wave: str, of_real: bool, gives_real: bool = False
) -> None:
    """The rule of a function, one part of whose results is `± wave(one part) * sinh(the other)`.

    `of_real` says that the real part of the operand has the wave, `gives_real` that the product is the result's real
    part. Minus is for the cosine alone.
    """
    sign = -1 if primitive is e.Cosine else 1

    def rule(context: LoweringContext, primitive: e.Unary, /, x: HloValue) -> HloValues:
        type = emit.result_type(context)
        x = context.broadcast_scalar(x, type)
        result = context.one(op, [x], type)
        if not dtypes.is_complex(type.dtype):
            return [result]
        from treadle_compiler.lowering.complex_ends import with_ends  # noqa: PLC0415 - as above

        real, imag = emit.parts(context, x)
        angle, other = (real, imag) if of_real else (imag, real)
        product = emit.binary(
            context,
            "multiply",
            context.one(f"stablehlo.{wave}", [angle], emit.array_type(angle)),
            context.one("chlo.sinh", [other], emit.array_type(other)),
        )
        if sign < 0:
            product = emit.unary(context, "negate", product)
        size = emit.unary(context, "abs", other)
        small = emit.compare(context, size, emit.like(context, size, _NEAR), "lt")
        length = emit.unary(context, "abs", angle)
        finite = emit.compare(context, length, emit.like(context, length, np.inf), "lt")
        near = emit.binary(context, "and", small, finite)
        re, im = emit.parts(context, result)
        if gives_real:
            re = emit.select(context, near, product, re)
        else:
            im = emit.select(context, near, product, im)
        return [with_ends(context, primitive, x, (re, im))]

    lowering_rules.register(primitive, rule)


_register(e.Sine, "stablehlo.sine", wave="cosine", of_real=True)
_register(e.Cosine, "stablehlo.cosine", wave="sine", of_real=True)
_register(e.Sinh, "chlo.sinh", wave="cosine", of_real=False, gives_real=True)
_register(e.Cosh, "chlo.cosh", wave="sine", of_real=False)

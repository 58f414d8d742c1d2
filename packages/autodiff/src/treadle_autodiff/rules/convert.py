"""Derivatives of element-type conversion."""

from __future__ import annotations

from treadle_autodiff.registry import (
    Duals,
    Flat,
    flat,
    jvp_rule,
    linear,
    locally_constant,
    unary_transpose_rule,
)
from treadle_autodiff.tangents import Tangents, Zero
from treadle_ir import ArrayType, Operand, Operands, bind, ops, type_of
from treadle_ir.core import dtypes
from treadle_ir.primitives.convert import BitcastConvert, Convert, Copy, ReducePrecision

linear(Copy)
locally_constant(BitcastConvert, Flat.INTEGER)
flat(Convert, Flat.INTEGER, when=lambda convert, _: not dtypes.has_tangents(convert.dtype))


@jvp_rule(Convert)
def convert_jvp(primitive: Convert, primals: Operands, tangents: Tangents, /) -> Duals:
    """Convert tangents: linear between floating, complex and user-defined types with tangents; zero for all others."""
    (x,), (dx,) = primals, tangents
    (y,) = results = bind(primitive, x)
    tangent = type_of(y).tangent()
    both = dtypes.has_tangents(type_of(x).dtype) and dtypes.has_tangents(primitive.dtype)
    if isinstance(dx, Zero) or not both:
        return results, [Zero(tangent)]
    if dtypes.is_inexact(primitive.dtype):
        return results, list(bind(primitive, dx))
    assert isinstance(tangent, ArrayType)
    return results, [ops.convert(dx, dtype=tangent.dtype)]


@unary_transpose_rule(Convert)
def convert_transpose(primitive: Convert, ct: Operand, type: ArrayType, /) -> Operand:
    """Back to the operand's type: real to complex loses the imaginary part, complex to real gains a zero one."""
    return ops.convert(ct, dtype=type.dtype, weak=type.weak)


@unary_transpose_rule(Copy)
def copy_transpose(primitive: Copy, ct: Operand, type: ArrayType, /) -> Operand:
    """Return the cotangent itself: a copy protects the owner of a buffer, and a cotangent has no other owner."""
    return ct


@jvp_rule(ReducePrecision)
def reduce_precision_jvp(
    primitive: ReducePrecision, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The identity's: rounding is taken for noise, not for a staircase."""
    return bind(primitive, *primals), tangents

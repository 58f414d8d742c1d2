"""Derivatives of comparison and selection."""

from __future__ import annotations

from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Flat,
    LinearOperands,
    jvp_rule,
    locally_constant,
    transpose_rule,
)
from treadle_autodiff.rules.elementwise import broadcast_to, gather, number
from treadle_autodiff.tangents import Linear, Tangents, Zero
from treadle_ir import ArrayType, Operand, Operands, bind, ops, type_of
from treadle_ir.core import dtypes
from treadle_ir.primitives.compare import Clamp, Compare, Select

locally_constant(Compare, Flat.COMPARISON)


@jvp_rule(Select)
def select_jvp(primitive: Select, primals: Operands, tangents: Tangents, /) -> Duals:
    """The same selection among the tangents."""
    condition, on_true, on_false = primals
    _, dt, df = tangents
    (y,) = results = bind(primitive, *primals)
    type = type_of(y)
    if not dtypes.is_inexact(type.dtype) or (isinstance(dt, Zero) and isinstance(df, Zero)):
        return results, [Zero(type.tangent())]
    if isinstance(dt, Zero):
        dt = number(0, on_true)
    if isinstance(df, Zero):
        df = number(0, on_false)
    return results, [broadcast_to(ops.select(condition, dt, df), type)]


@transpose_rule(Select)
def select_transpose(
    primitive: Select, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """To each choice the cotangent where it was chosen."""
    (ct,) = cotangents
    assert not isinstance(ct, Zero)
    condition, on_true, on_false = operands
    assert not isinstance(condition, Linear)
    zero = number(0, ct)
    ct_true = ct_false = None
    if isinstance(on_true, Linear):
        assert isinstance(on_true.type, ArrayType)
        ct_true = gather(ops.select(condition, ct, zero), on_true.type)
    if isinstance(on_false, Linear):
        assert isinstance(on_false.type, ArrayType)
        ct_false = gather(ops.select(condition, zero, ct), on_false.type)
    return [None, ct_true, ct_false]


@jvp_rule(Clamp)
def clamp_jvp(primitive: Clamp, primals: Operands, tangents: Tangents, /) -> Duals:
    """The tangent of whichever operand is the result; 0 for x where it equals a limit.

    The result is high where x or low is above it, else low where x is below, else x.
    """
    low, x, high = primals
    (y,) = results = bind(primitive, *primals)
    type = type_of(y)
    if not dtypes.is_inexact(type.dtype):
        return results, [Zero(type.tangent())]

    def where(dx: Operand, *below: tuple[Operand, Operand]) -> Operand:
        # dx where each first is less than its second, else 0.
        conditions = [ops.compare(a, b, direction="lt") for a, b in below]
        condition = conditions[0] if len(conditions) == 1 else ops.and_(*conditions)
        return broadcast_to(ops.select(condition, dx, number(0, dx)), type)

    d_low, dx, d_high = tangents
    terms: list[Operand] = []
    if not isinstance(d_low, Zero):
        terms.append(where(d_low, (x, low), (low, high)))
    if not isinstance(dx, Zero):
        terms.append(where(dx, (low, x), (x, high)))
    if not isinstance(d_high, Zero):
        # high is the result where it is below the greater of x and low.
        terms.append(where(d_high, (high, ops.maximum(x, low))))
    if not terms:
        return results, [Zero(type)]
    total = terms[0]
    for term in terms[1:]:
        total = ops.add(total, term)
    return results, [total]

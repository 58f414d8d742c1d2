"""Derivatives of cumulative operations.

Products and log-sums obey y_k = a_k y_{k-1} + b_k in their tangents, with known a and with b linear in the
operand's tangent; `recurrence` solves that without dividing, so zeros do no harm.
"""

from __future__ import annotations

from treadle_autodiff.registry import Duals, jvp_rule, linear, unary_transpose_rule
from treadle_autodiff.rules.recurrence import recurrence
from treadle_autodiff.rules.reduce import shift
from treadle_autodiff.rules.sort import positions_along, take_along
from treadle_autodiff.tangents import Tangents, Zero, materialise
from treadle_ir import ArrayType, Operand, Operands, bind, ops, type_of
from treadle_ir.core.dtypes import least
from treadle_ir.primitives.cumulative import (
    CumulativeAdd,
    CumulativeLogsumexp,
    CumulativeMaximum,
    CumulativeMinimum,
    CumulativeMultiply,
)

linear(CumulativeAdd)


@unary_transpose_rule(CumulativeAdd)
def cumulative_add_transpose(primitive: CumulativeAdd, ct: Operand, type: ArrayType, /) -> Operand:
    """Each summand is in all later sums: sum from the other end."""
    return ops.cumulative_add(ct, axis=primitive.axis, reverse=not primitive.reverse)


# p_k = p_{k-1} x_k, so dp_k = x_k dp_{k-1} + p_{k-1} dx_k.
@jvp_rule(CumulativeMultiply)
def cumulative_multiply_jvp(
    primitive: CumulativeMultiply, primals: Operands, tangents: Tangents
) -> Duals:
    """The product rule as a recurrence."""
    (x,) = primals
    dx = materialise(tangents[0])
    results = bind(primitive, x)
    before = shift(results[0], -1 if primitive.reverse else 1, primitive.axis, 1)
    return results, [recurrence(x, ops.multiply(before, dx), primitive.axis, primitive.reverse)]


# y_k = log(e^y_{k-1} + e^x_k), so dy_k = e^(y_{k-1} - y_k) dy_{k-1} + e^(x_k - y_k) dx_k. Both factors are at most
# 1. Where y_k is -inf nothing has been added yet: both exponents become -inf, and the tangent 0.
@jvp_rule(CumulativeLogsumexp)
def cumulative_logsumexp_jvp(
    primitive: CumulativeLogsumexp, primals: Operands, tangents: Tangents
) -> Duals:
    """The mean of the tangents so far, weighted by the exponentials, as a recurrence."""
    (x,) = primals
    dx = materialise(tangents[0])
    results = bind(primitive, x)
    y, type = results[0], type_of(x)
    zero = type.dtype.type(0)
    finite = ops.select(ops.is_finite(y), y, zero)
    nothing = least(type.dtype)  # of the 8-bit floats, one has no infinity
    before = shift(y, -1 if primitive.reverse else 1, primitive.axis, float(nothing))
    keep = ops.exponential(ops.subtract(before, finite))
    enter = ops.exponential(ops.subtract(x, finite))
    return results, [recurrence(keep, ops.multiply(enter, dx), primitive.axis, primitive.reverse)]


def extreme_jvp(
    primitive: CumulativeMaximum | CumulativeMinimum, primals: Operands, tangents: Tangents, /
) -> Duals:
    """Find where each maximum or minimum so far was first attained, and take the tangent from there.

    A result that differs from the one before was attained at its own place, any other where the one before was;
    a NaN stays for good and comes from the place of the first.
    """
    (x,), dx = primals, materialise(tangents[0])
    results = bind(primitive, x)
    y, axis, type = results[0], primitive.axis, type_of(x)
    if type.size == 0:
        return results, [Zero(type)]
    before = shift(y, -1 if primitive.reverse else 1, axis, 0)
    same = ops.or_(
        ops.compare(y, before, direction="eq"), ops.compare(before, before, direction="ne")
    )
    places = positions_along(type.shape, axis)
    # the first place itself is the least (in reverse: the greatest) position, whatever `same` says there
    if primitive.reverse:
        last = type_of(places).dtype.type(type.shape[axis] - 1)
        attained = ops.cumulative_minimum(ops.select(same, last, places), axis=axis, reverse=True)
    else:
        first = type_of(places).dtype.type(0)
        attained = ops.cumulative_maximum(ops.select(same, first, places), axis=axis)
    return results, [take_along(dx, attained, axis, unique=False)]


jvp_rule(CumulativeMaximum)(extreme_jvp)
jvp_rule(CumulativeMinimum)(extreme_jvp)

"""Derivatives of collectives over named axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle_autodiff.registry import jvp_rule, locally_constant, transpose_rule, transpose_rules
from treadle_autodiff.tangents import Linear, Tangent, Zero
from treadle_ir import ArrayType, MissingRuleError, Operand, Operands, bind, ops
from treadle_ir.primitives.collective import AllGather, AllReduce, AxisIndex


@jvp_rule(AllReduce)
def all_reduce_jvp(
    primitive: AllReduce, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """The sum is linear; maxima and minima have no rule yet."""
    if primitive.reduction != "add":
        raise MissingRuleError(
            f"all_reduce of {primitive.reduction} has no derivative yet",
            fix="use psum or pmean, or stop_gradient around pmax and pmin",
        )
    (x,), (dx,) = primals, tangents
    assert not isinstance(dx, Zero)
    return bind(primitive, x), bind(primitive, dx)


@transpose_rule(AllReduce)
def all_reduce_transpose(
    primitive: AllReduce, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """y_i = sum of x_j over batch elements j, so ct_x_j = sum of ct_y_i over batch elements i: the same sum."""
    (ct_y,) = cotangents
    assert not isinstance(ct_y, Zero)
    return list(bind(primitive, ct_y))


@jvp_rule(AllGather)
def all_gather_jvp(
    primitive: AllGather, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """It is linear."""
    (x,), (dx,) = primals, tangents
    assert not isinstance(dx, Zero)
    return bind(primitive, x), bind(primitive, dx)


@transpose_rule(AllGather)
def all_gather_transpose(
    primitive: AllGather, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """Every batch element holds all of them, so the cotangent of element j is the sum of all j-th parts."""
    (ct_y,) = cotangents
    (x,) = operands
    assert not isinstance(ct_y, Zero)
    assert isinstance(x, Linear)
    assert isinstance(x.type, ArrayType)
    summed = bind(AllReduce("add", primitive.axis_names), ct_y)[0]
    (row,) = bind(AxisIndex(primitive.axis_names))
    shape = x.type.shape
    if primitive.tiled:
        step = shape[primitive.axis]
        starts: list[Operand] = [_zero() for _ in shape]
        starts[primitive.axis] = ops.multiply(row, row.dtype.type(step))
        return [ops.dynamic_slice(summed, *starts, sizes=shape)]
    sizes = (*shape[: primitive.axis], 1, *shape[primitive.axis :])
    starts = [_zero() for _ in sizes]
    starts[primitive.axis] = row
    return [ops.reshape(ops.dynamic_slice(summed, *starts, sizes=sizes), shape=shape)]


def _zero() -> Operand:
    return np.int32(0)


locally_constant(AxisIndex)
transpose_rules.absent(AxisIndex, because="it has no operands")

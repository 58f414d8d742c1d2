"""Derivatives of collectives over named axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treadle_autodiff.registry import (
    Flat,
    jvp_rule,
    linear,
    locally_constant,
    transpose_rule,
    transpose_rules,
)
from treadle_autodiff.tangents import Linear, Tangent, Zero
from treadle_ir import ArrayType, MissingRuleError, Operand, Operands, bind, ops, type_of
from treadle_ir.primitives.collective import (
    AllGather,
    AllReduce,
    AllToAll,
    AxisIndex,
    Permute,
    PVary,
    ReduceScatter,
)


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
    """y_i = sum of x_j over batch elements j, so ct_x_j = sum of ct_y_i over batch elements i: the same sum.

    An invariant y is one value, and ct_x_j is its cotangent.
    """
    (ct_y,) = cotangents
    assert not isinstance(ct_y, Zero)
    if primitive.invariant:
        return list(bind(PVary(primitive.axis_names), ct_y))
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
    """Every batch element holds all of them, so the cotangent of element j is the sum of all j-th parts.

    Where the result is one value that all share, so is its cotangent, and each takes its part.
    """
    (ct_y,) = cotangents
    (x,) = operands
    assert not isinstance(ct_y, Zero)
    assert isinstance(x, Linear)
    assert isinstance(x.type, ArrayType)
    if primitive.invariant:
        length = x.type.shape[primitive.axis] if primitive.tiled else 1
        sizes = list(type_of(ct_y).shape)
        starts: list[Operand] = [np.int32(0)] * len(sizes)
        starts[primitive.axis] = ops.multiply(
            ops.axis_index(primitive.axis_names), np.int32(length)
        )
        sizes[primitive.axis] = length
        own = ops.dynamic_slice(ct_y, *starts, sizes=tuple(sizes))
        return [own if primitive.tiled else ops.reshape(own, shape=x.type.shape)]
    parts = ReduceScatter(primitive.axis_names, primitive.size, primitive.axis, primitive.groups)
    (part,) = bind(parts, ct_y)
    return [part if primitive.tiled else ops.reshape(part, shape=x.type.shape)]


linear(ReduceScatter)


@transpose_rule(ReduceScatter)
def reduce_scatter_transpose(
    primitive: ReduceScatter, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """The j-th part of the sum is element j's, so the cotangent of every summand is all of theirs, joined."""
    (ct_y,) = cotangents
    assert not isinstance(ct_y, Zero)
    names, size, groups = primitive.axis_names, primitive.size, primitive.groups
    return list(bind(AllGather(names, size, primitive.axis, True, groups), ct_y))


linear(AllToAll)


@transpose_rule(AllToAll)
def all_to_all_transpose(
    primitive: AllToAll, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """The way back."""
    (ct_y,) = cotangents
    assert not isinstance(ct_y, Zero)
    back = replace(primitive, split=primitive.concat, concat=primitive.split)
    return list(bind(back, ct_y))


linear(Permute)


@transpose_rule(Permute)
def permute_transpose(
    primitive: Permute, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """The way back."""
    (ct_y,) = cotangents
    assert not isinstance(ct_y, Zero)
    back = tuple([(there, here) for here, there in primitive.pairs])
    return list(bind(Permute(primitive.axis_names, primitive.size, back), ct_y))


linear(PVary)


@transpose_rule(PVary)
def vary_transpose(
    primitive: PVary, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """One value for all devices: its cotangent is the sum of theirs."""
    (ct_y,) = cotangents
    assert not isinstance(ct_y, Zero)
    if not primitive.axis_names:
        return [ct_y]
    return list(bind(AllReduce("add", primitive.axis_names, invariant=True), ct_y))


locally_constant(AxisIndex, Flat.POSITION)
transpose_rules.absent(AxisIndex, because="it has no operands")

"""Derivatives of collectives over named axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treadle_autodiff.registry import (
    Duals,
    Flat,
    jvp_rule,
    linear,
    locally_constant,
    transpose_rules,
    unary_transpose_rule,
)
from treadle_autodiff.tangents import Tangents, Zero
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
def all_reduce_jvp(primitive: AllReduce, primals: Operands, tangents: Tangents, /) -> Duals:
    """The sum is linear; maxima and minima have no rule yet."""
    if primitive.reduction != "add":
        raise MissingRuleError(
            f"all_reduce of {primitive.reduction} has no derivative yet",
            fix="use psum or pmean, or stop_gradient around pmax and pmin",
        )
    (x,), (dx,) = primals, tangents
    assert not isinstance(dx, Zero)
    return bind(primitive, x), bind(primitive, dx)


@unary_transpose_rule(AllReduce)
def all_reduce_transpose(primitive: AllReduce, ct: Operand, type: ArrayType, /) -> Operand:
    """y_i = sum of x_j over batch elements j, so ct_x_j = sum of ct_y_i over batch elements i: the same sum.

    An invariant y is one value, and ct_x_j is its cotangent.
    """
    return bind(PVary(primitive.axis_names) if primitive.invariant else primitive, ct)[0]


linear(AllGather)


@unary_transpose_rule(AllGather)
def all_gather_transpose(primitive: AllGather, ct: Operand, type: ArrayType, /) -> Operand:
    """Every batch element holds all of them, so the cotangent of element j is the sum of all j-th parts.

    Where the result is one value that all share, so is its cotangent, and each takes its part.
    """
    if primitive.invariant:
        length = type.shape[primitive.axis] if primitive.tiled else 1
        sizes = list(type_of(ct).shape)
        starts: list[Operand] = [np.int32(0)] * len(sizes)
        starts[primitive.axis] = ops.multiply(
            ops.axis_index(primitive.axis_names), np.int32(length)
        )
        sizes[primitive.axis] = length
        part: Operand = ops.dynamic_slice(ct, *starts, sizes=tuple(sizes))
    else:
        names, groups = primitive.axis_names, primitive.groups
        (part,) = bind(ReduceScatter(names, primitive.size, primitive.axis, groups), ct)
    return part if primitive.tiled else ops.reshape(part, shape=type.shape)


linear(ReduceScatter)


@unary_transpose_rule(ReduceScatter)
def reduce_scatter_transpose(primitive: ReduceScatter, ct: Operand, type: ArrayType, /) -> Operand:
    """The j-th part of the sum is element j's, so the cotangent of every summand is all of theirs, joined."""
    names, size, groups = primitive.axis_names, primitive.size, primitive.groups
    return bind(AllGather(names, size, primitive.axis, True, groups), ct)[0]


linear(AllToAll)


@unary_transpose_rule(AllToAll)
def all_to_all_transpose(primitive: AllToAll, ct: Operand, type: ArrayType, /) -> Operand:
    """The way back."""
    return bind(replace(primitive, split=primitive.concat, concat=primitive.split), ct)[0]


linear(Permute)


@unary_transpose_rule(Permute)
def permute_transpose(primitive: Permute, ct: Operand, type: ArrayType, /) -> Operand:
    """The way back."""
    back = tuple([(there, here) for here, there in primitive.pairs])
    return bind(Permute(primitive.axis_names, primitive.size, back), ct)[0]


linear(PVary)


@unary_transpose_rule(PVary)
def vary_transpose(primitive: PVary, ct: Operand, type: ArrayType, /) -> Operand:
    """One value for all devices: its cotangent is the sum of theirs."""
    if not primitive.axis_names:
        return ct
    return bind(AllReduce("add", primitive.axis_names, invariant=True), ct)[0]


locally_constant(AxisIndex, Flat.POSITION)
transpose_rules.absent(AxisIndex, because="it has no operands")

"""Derivatives of sharding constraints: tangents and cotangents get the array's sharding; inspection sees the array."""

from __future__ import annotations

from dataclasses import replace

from treadle_autodiff.registry import (
    Duals,
    Flat,
    flat,
    jvp_rule,
    linear,
    unary_transpose_rule,
)
from treadle_autodiff.tangents import Tangents
from treadle_ir import ArrayType, Operand, Operands, bind
from treadle_ir.primitives.sharding import InspectSharding, ShardingConstraint

linear(ShardingConstraint)


@unary_transpose_rule(ShardingConstraint)
def sharding_constraint_transpose(
    primitive: ShardingConstraint, ct: Operand, type: ArrayType, /
) -> Operand:
    """Constrain the cotangent in the same way; unreduced and reduced axes are exchanged."""
    back = replace(primitive, unreduced=primitive.reduced, reduced=primitive.unreduced)
    return bind(back, ct)[0]


flat(InspectSharding, Flat.EFFECT)


@jvp_rule(InspectSharding)
def inspect_sharding_jvp(
    primitive: InspectSharding, primals: Operands, tangents: Tangents, /
) -> Duals:
    """Inspect the primal."""
    return bind(primitive, *primals), []

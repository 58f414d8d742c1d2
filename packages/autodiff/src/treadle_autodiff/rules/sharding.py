"""Derivatives of sharding constraints: tangents and cotangents get the array's sharding; inspection sees the array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treadle_autodiff.registry import Flat, flat, jvp_rule, linear, transpose_rule
from treadle_autodiff.tangents import Linear, Tangent, Zero
from treadle_ir import Operand, Operands, bind
from treadle_ir.primitives.sharding import InspectSharding, ShardingConstraint

linear(ShardingConstraint)


@transpose_rule(ShardingConstraint)
def sharding_constraint_transpose(
    primitive: ShardingConstraint,
    cotangents: Sequence[Tangent],
    operands: Sequence[Operand | Linear],
    /,
) -> Sequence[Tangent | None]:
    """Constrain the cotangent in the same way; unreduced and reduced axes are exchanged."""
    (ct,) = cotangents
    assert not isinstance(ct, Zero)
    back = replace(primitive, unreduced=primitive.reduced, reduced=primitive.unreduced)
    return [*bind(back, ct)]


flat(InspectSharding, Flat.EFFECT)


@jvp_rule(InspectSharding)
def inspect_sharding_jvp(
    primitive: InspectSharding, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """Inspect the primal."""
    return bind(primitive, *primals), []

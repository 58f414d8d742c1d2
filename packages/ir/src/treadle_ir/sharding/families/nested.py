"""Sharding propagation rules of operations that hold programs or prescribe the shardings of their results."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir.core.dataflow import forward
from treadle_ir.core.families import ControlFlow, InlineCall
from treadle_ir.core.mesh import AbstractMesh, ClosedDimShardings, DimShardings
from treadle_ir.core.partial import partial_sums_of, with_partial_sums
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.core.sharding import explicit_part
from treadle_ir.core.values import Literal
from treadle_ir.errors.kinds import ShardingTypeError
from treadle_ir.primitives.call import CustomVjpLinear
from treadle_ir.primitives.effectful import HostCall
from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.primitives.sharding import InspectSharding, ShardingConstraint
from treadle_ir.sharding.rules import ArrayTypes, Known, dims_over, nested_rule
from treadle_ir.sharding.sharded_type import replicated_dims


def _explicit(dims: DimShardings, mesh: AbstractMesh) -> ClosedDimShardings:
    return explicit_part(dims, mesh).dims


def returned_dims(program: Program, mesh: AbstractMesh) -> list[Known]:
    """Return the dims of a program's results over `mesh`: a literal is the same on each device."""
    return [() if type(each) is Literal else dims_over(each.type, mesh) for each in program.results]


@nested_rule(ShardingConstraint)
def constraint_shardings(
    primitive: ShardingConstraint,
    operands: Sequence[Known],
    results: ArrayTypes,
    mesh: AbstractMesh,
    /,
) -> Sequence[Known]:
    """Return the prescribed sharding; an axis without one keeps the sharding of the operand."""
    said, before = primitive.dims, operands[0]
    if None not in said:
        return [_explicit(said, mesh)]
    if before is None:
        return [None]
    named = {name for names in said for name in names or ()}
    kept = [tuple([n for n in names if n not in named]) for names in before]
    both = [k if s is None else s for s, k in zip(said, kept, strict=True)]
    return [_explicit(with_partial_sums(both, partial_sums_of(said)), mesh)]


@nested_rule(ShardMap)
def shard_map_shardings(
    primitive: ShardMap, operands: Sequence[Known], results: ArrayTypes, mesh: AbstractMesh, /
) -> Sequence[Known]:
    """Return the explicit parts of the shardings of the results."""
    return [_explicit(dims, mesh) for dims in primitive.out_layouts]


@nested_rule(InspectSharding)
def inspect_shardings(
    primitive: InspectSharding,
    operands: Sequence[Known],
    results: ArrayTypes,
    mesh: AbstractMesh,
    /,
) -> Sequence[Known]:
    """Return nothing: there are no results."""
    return []


@nested_rule(HostCall)
def host_call_shardings(
    primitive: HostCall, operands: Sequence[Known], results: ArrayTypes, mesh: AbstractMesh, /
) -> Sequence[Known]:
    """Return replicated results: the host computes them."""
    return [replicated_dims(type.ndim) for type in results]


@nested_rule(InlineCall)
def call_shardings(
    primitive: InlineCall, operands: Sequence[Known], results: ArrayTypes, mesh: AbstractMesh, /
) -> Sequence[Known]:
    """Return the shardings of the program's results."""
    return returned_dims(primitive.program, mesh)


def unknown_shardings(
    primitive: Primitive, operands: Sequence[Known], results: ArrayTypes, mesh: AbstractMesh, /
) -> Sequence[Known]:
    """Leave results to the compiler, as the user's backward function has not run yet."""
    return [None] * len(results)


nested_rule(CustomVjpLinear)(unknown_shardings)
nested_rule(LinearCall)(unknown_shardings)


@nested_rule(ControlFlow)
def control_flow_shardings(
    primitive: ControlFlow, operands: Sequence[Known], results: ArrayTypes, mesh: AbstractMesh, /
) -> Sequence[Known]:
    """Return what all values that a result may be have in common; the axis that is scanned over must not be divided.

    Branches return alike, and bodies of loops return the carry as they take it: `cond` and `scan` see to that. What
    derivatives make of them need not, and is left to the compiler then, as solvers are.
    """
    flows = primitive.flows()
    if flows is None:
        return [None] * len(results)
    sliced = [x for i, x in enumerate(operands) if flows.is_sliced(i)]
    for number, dims in enumerate(sliced):
        if dims is not None and dims[0]:
            raise ShardingTypeError(
                f"{primitive.name}: the leading axis of array {number} that is scanned over is divided by {dims[0]}",
                fix="reshard it first, so that the leading axis is not divided: `reshard(x, P(None, ...))`",
            )
    found = forward(flows, operands, lambda region, _: returned_dims(region, mesh), _common)
    carried = {
        origin: state
        for origins, states in zip(flows.backedges, found.parameters, strict=False)
        for origin, state in zip(origins, states, strict=True)
    }
    ends = [
        carried.get(origins[-1], end) for origins, end in zip(flows.exits, found.ends, strict=True)
    ]
    if flows.stacked is not None:
        ends[flows.stacked :] = [
            None if each is None else with_partial_sums(((), *each), partial_sums_of(each))
            for each in ends[flows.stacked :]
        ]
    return ends


def _common(one: Known, two: Known) -> Known:
    return one if one == two else None

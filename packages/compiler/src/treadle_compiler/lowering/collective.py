"""Lowering of collectives: XLA's own, between the devices of the shard_map around them.

A program for a single device has axes of size 1 only, on which each collective is the identity, up to shape.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.partitioning import ManualScope, axes_text, per_value_text
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.errors import AxisNameError
from treadle_ir.primitives.collective import (
    AllGather,
    AllReduce,
    AllToAll,
    AxisIndex,
    Collective,
    Groups,
    Permute,
    PVary,
    ReduceScatter,
)

_U32: Final = np.dtype(np.uint32)
_I32: Final = np.dtype(np.int32)
_CHANNEL: Final = "#stablehlo.channel_handle<handle = 1, type = 1>"


def _scope(context: LoweringContext, primitive: Collective) -> ManualScope:
    scope = context.manual
    missing = [name for name in primitive.axis_names if scope is None or name not in scope.axes]
    if scope is None or missing:
        raise AxisNameError(
            f"{primitive.name}: nothing maps the axis {missing[0]!r} where it is compiled",
            fix="apply vmap or shard_map, which bind the name, before jit",
        )
    return scope


def _matrix(rows: np.ndarray[Any, np.dtype[Any]]) -> str:
    text = ", ".join([f"[{', '.join(map(str, row))}]" for row in rows.tolist()])
    return f"dense<[{text}]> : tensor<{rows.shape[0]}x{rows.shape[1]}xi64>"


def _between(
    scope: ManualScope, names: Sequence[Hashable], groups: Groups | None, **more: str
) -> dict[str, str]:
    """The attributes of a collective over some axes, or among groups along them."""
    rows = scope.groups(names)
    if groups is not None:
        longest = max(map(len, groups))
        padded = np.full((len(rows), len(groups), longest), -1)  # where there is no device
        for number, group in enumerate(groups):
            padded[:, number, : len(group)] = rows[:, group]
        rows = padded.reshape(-1, longest)
    return {
        **more,
        "replica_groups": _matrix(rows),
        "channel_handle": _CHANNEL,
        "use_global_device_ids": "unit",
    }


def _i64(number: int) -> str:
    return f"{number} : i64"


@lowering_rule(AllReduce)
def all_reduce_lowering(context: LoweringContext, primitive: AllReduce, x: HloValue) -> HloValues:
    """XLA's all_reduce."""
    scope = _scope(context, primitive)
    if context.module.partitioning is None:
        return [x]
    region = context.binary_region(f"stablehlo.{primitive.reduction}", ArrayType((), x.dtype))
    attributes = _between(scope, primitive.axis_names, primitive.groups)
    return context.emit("stablehlo.all_reduce", [x], [x.type], attributes, [region])


@lowering_rule(AllGather)
def all_gather_lowering(context: LoweringContext, primitive: AllGather, x: HloValue) -> HloValues:
    """XLA's all_gather joins arrays; they get an axis of their own first where they are stacked."""
    scope = _scope(context, primitive)
    axis = primitive.axis
    if not primitive.tiled:
        x = emit.reshape(context, x, (*x.shape[:axis], 1, *x.shape[axis:]))
    if context.module.partitioning is None:
        return [x]
    names, groups = primitive.axis_names, primitive.groups
    attributes = _between(scope, names, groups, all_gather_dim=_i64(axis))
    return context.emit("stablehlo.all_gather", [x], context.result_types, attributes)


@lowering_rule(ReduceScatter)
def reduce_scatter_lowering(
    context: LoweringContext, primitive: ReduceScatter, x: HloValue
) -> HloValues:
    """XLA's reduce_scatter."""
    scope = _scope(context, primitive)
    if context.module.partitioning is None:
        return [x]
    region = context.binary_region("stablehlo.add", ArrayType((), x.dtype))
    names, groups = primitive.axis_names, primitive.groups
    attributes = _between(scope, names, groups, scatter_dimension=_i64(primitive.axis))
    return context.emit("stablehlo.reduce_scatter", [x], context.result_types, attributes, [region])


@lowering_rule(AllToAll)
def all_to_all_lowering(context: LoweringContext, primitive: AllToAll, x: HloValue) -> HloValues:
    """XLA's all_to_all."""
    scope = _scope(context, primitive)
    if context.module.partitioning is None:
        return [x]
    attributes = _between(
        scope,
        primitive.axis_names,
        primitive.groups,
        split_dimension=_i64(primitive.split),
        concat_dimension=_i64(primitive.concat),
        split_count=_i64(primitive.size),
    )
    del attributes["use_global_device_ids"]  # it knows no others
    return context.emit("stablehlo.all_to_all", [x], context.result_types, attributes)


@lowering_rule(Permute)
def permute_lowering(context: LoweringContext, primitive: Permute, x: HloValue) -> HloValues:
    """XLA's collective_permute; zeros where no device sends."""
    scope = _scope(context, primitive)
    if context.module.partitioning is None:
        return [x] if primitive.pairs else [emit.like(context, x, 0)]
    if not primitive.pairs:
        return [emit.like(context, x, 0)]
    groups = scope.groups(primitive.axis_names)
    pairs = np.array([(row[a], row[b]) for row in groups for a, b in primitive.pairs])
    attributes = {"source_target_pairs": _matrix(pairs), "channel_handle": _CHANNEL}
    return context.emit("stablehlo.collective_permute", [x], [x.type], attributes)


@lowering_rule(PVary)
def vary_lowering(context: LoweringContext, primitive: PVary, x: HloValue) -> HloValues:
    """Nothing."""
    return [x]


@lowering_rule(AxisIndex)
def axis_index_lowering(context: LoweringContext, primitive: AxisIndex) -> HloValues:
    """The place of the device on the axis, from its number in the mesh.

    That number has a meaning only where all axes of the mesh are manual: a region around it makes the others so.
    """
    scope = _scope(context, primitive)
    (name,) = primitive.axis_names
    result = ArrayType((), _I32)
    if context.module.partitioning is None:
        return [context.constant(0, result)]
    mesh = scope.mesh
    axis = mesh.axis_names.index(str(name))
    step = int(np.prod(mesh.axis_sizes[axis + 1 :], dtype=np.int64))

    def place(_: HloValues) -> HloValues:
        number = context.one("stablehlo.partition_id", (), ArrayType((), _U32))
        row = emit.binary(context, "divide", number, emit.scalar(context, step, _U32))
        size = emit.scalar(context, mesh.axis_sizes[axis], _U32)
        return [emit.convert(context, emit.binary(context, "remainder", row, size), _I32)]

    if not scope.left:
        return place(())
    text = context.region((), place, end="sdy.return")
    attributes = {
        "in_shardings": "#sdy.sharding_per_value<[]>",
        "out_shardings": per_value_text(context.module.mesh_name(mesh), [()], False),
        "manual_axes": axes_text(scope.left),
    }
    return context.emit("sdy.manual_computation", (), (result,), attributes, [text])

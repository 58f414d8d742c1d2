"""Reading and writing at computed positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.primitives.indexing import (
    DynamicUpdateSlice,
    Gather,
    ScatterFamily,
)
from treadle_ir.sharding.rules import ArrayTypes, ResultDims, ShardedTypes, sharding_rule
from treadle_ir.sharding.sharded_type import Names, checked, merged, refuse

_GET: Final = (
    "specify the sharding of the result, `x.at[...].get(out_sharding=P(...))`, or reshard the array first, "
    "`reshard(x, P(...))`"
)
_SET: Final = (
    "specify the sharding of the result, `x.at[...].set(y, out_sharding=P(...))`, or reshard the array first, "
    "`reshard(x, P(...))`"
)


@sharding_rule(DynamicUpdateSlice)
def dynamic_update_slice_shardings(
    primitive: DynamicUpdateSlice,
    operands: ShardedTypes,
    results: ArrayTypes,
    mesh: AbstractMesh,
    /,
) -> ResultDims:
    """Return the dims of the operand, whose sharded axes have to be written completely; a replicated update fits."""
    operand, update = operands[0], operands[1]
    for axis, names in enumerate(operand.dims):
        written_whole = update.type.shape[axis] == operand.type.shape[axis]
        if update.dims[axis] == names or (written_whole and not update.dims[axis]):
            continue
        raise refuse(
            primitive,
            (operand, update),
            "the update lies otherwise than the operand",
            "lay the update as the operand first: `reshard(update, P(...))`",
        )
    return [operand.dims]


@sharding_rule(Gather)
def gather_shardings(
    primitive: Gather, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Keep the dims of axes that are taken completely and of the batch of the indices; others have to be replicated."""
    operand, indices = operands
    batching = primitive.operand_batching_dims
    kept: list[Names] = []
    for axis, names in enumerate(operand.dims):
        if axis in batching:
            continue
        taken_whole = primitive.slice_sizes[axis] == operand.type.shape[axis]
        if names and (axis in primitive.collapsed_slice_dims or not taken_whole):
            raise refuse(
                primitive,
                operands,
                f"axis {axis}, which is divided, is indexed, so that the sharding of the result does not follow",
                _GET,
            )
        if axis not in primitive.collapsed_slice_dims:
            kept.append(names)
    batch = _batch(primitive, operands, batching, primitive.start_indices_batching_dims)
    rest = iter(batch)
    offsets = dict(zip(primitive.offset_dims, kept, strict=True))
    dims = [offsets[axis] if axis in offsets else next(rest) for axis in range(results[0].ndim)]
    return [checked(primitive, (operand, indices), tuple(dims))]


def _batch(
    primitive: Gather | ScatterFamily,
    operands: ShardedTypes,
    of_operand: Sequence[int],
    of_indices: Sequence[int],
) -> list[Names]:
    """Return the dims of the batch of the indices, joined with the axes that it shares with the operand."""
    operand, indices = operands[0], operands[1]
    if indices.dims[-1]:
        raise refuse(primitive, operands, "the index vectors are divided", _GET)
    batch = [*indices.dims[:-1]]
    for one, two in zip(of_operand, of_indices, strict=True):
        batch[two] = merged(
            primitive, operands, (operand.dims[one], batch[two]), f"the batching axis {one}"
        )
    return batch


@sharding_rule(ScatterFamily)
def scatter_shardings(
    primitive: ScatterFamily, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the dims of the operand, whose sharded axes have to be written completely."""
    operand, _, updates = operands
    batching = primitive.operand_batching_dims
    batch = _batch(primitive, operands, batching, primitive.scatter_indices_batching_dims)
    shared = {*primitive.scatter_indices_batching_dims}
    written = iter(primitive.update_window_dims)
    for axis, names in enumerate(operand.dims):
        if axis in batching:
            continue
        inserted = axis in primitive.inserted_window_dims
        window = None if inserted else next(written)
        if names and (window is None or updates.type.shape[window] != operand.type.shape[axis]):
            raise refuse(
                primitive,
                operands,
                f"axis {axis}, which is divided, is indexed, so that the sharding of the result does not follow",
                _SET,
            )
        if window is not None and updates.dims[window] not in ((), names):
            raise refuse(
                primitive,
                operands,
                f"axis {axis} of the updates lies otherwise than the operand",
                _SET,
            )
    loose = [axis for axis in range(updates.type.ndim) if axis not in primitive.update_window_dims]
    for number, axis in enumerate(loose):
        if number not in shared and (batch[number] or updates.dims[axis]):
            raise refuse(primitive, operands, "the places to write to are divided", _SET)
    return [operand.dims]

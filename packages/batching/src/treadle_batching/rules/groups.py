"""Collectives among groups of batch elements: the members of each group become the batch elements of an inner axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treadle_batching.axis import Axis, Dim, WithDims
from treadle_batching.batch import batch_flat
from treadle_batching.moving import at_front
from treadle_ir import MissingRuleError, Operand, Operands, bind, ops, type_of
from treadle_ir.calling import new_array
from treadle_ir.primitives.collective import AllGather, AllReduce, AllToAll, Groups, ReduceScatter


def among_groups(
    primitive: AllReduce | AllGather | ReduceScatter | AllToAll,
    groups: Groups,
    axis: Axis,
    x: Operand,
    dim: Dim,
) -> WithDims:
    """The collective without groups, over an axis for each group, whose rows lie one behind the other.

    Raises:
        MissingRuleError: groups have unequal sizes, or several axes are named.
    """
    sizes = {*map(len, groups)}
    if len(sizes) > 1 or len(primitive.axis_names) > 1:
        raise MissingRuleError(
            f"{primitive.name}: vmap over {axis.name!r} has no rule for "
            f"{'groups of unequal sizes' if len(sizes) > 1 else 'groups along several axes'}, {groups}",
            fix="use groups of equal sizes along one axis, or map over devices with pmap or shard_map",
        )
    (size,) = sizes
    order = [number for group in groups for number in group]
    rows = rows_taken(at_front(x, dim, axis), order)
    shape = type_of(rows).shape[1:]
    alone = replace(primitive, groups=None)

    def of_group(elements: Operand) -> Operands:
        among = Axis(size, axis.name)
        results, dims = batch_flat(lambda each: bind(alone, each), among, [elements], [0])
        return [at_front(results[0], dims[0], among)]

    each_group = Axis(len(groups), None)
    cut = ops.reshape(rows, shape=(len(groups), size, *shape))
    results, dims = batch_flat(of_group, each_group, [cut], [0])
    found = at_front(results[0], dims[0], each_group)
    joined = ops.reshape(found, shape=(axis.size, *type_of(found).shape[2:]))
    return [rows_taken(joined, [int(place) for place in np.argsort(order)])], [0]


def rows_taken(rows: Operand, numbers: Sequence[int]) -> Operand:
    """The rows with these numbers, in this order."""
    shape = type_of(rows).shape
    if [*numbers] == [*range(shape[0])]:
        return rows
    return ops.gather(
        rows,
        new_array(np.array(numbers, np.int32).reshape(len(numbers), 1)),
        offset_dims=tuple(range(1, len(shape))),
        collapsed_slice_dims=(0,),
        start_index_map=(0,),
        slice_sizes=(1, *shape[1:]),
        mode="clip",
    )

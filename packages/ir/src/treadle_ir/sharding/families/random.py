"""Random bits: an array of keys is a batch, whose sharding the results have."""

from __future__ import annotations

from treadle_ir.core.dtypes import is_key, key_shape
from treadle_ir.core.families import Randomness
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.primitives.random import RandomWrap
from treadle_ir.sharding.families.same import unless_divided
from treadle_ir.sharding.rules import ArrayTypes, ResultDims, ShardedTypes, sharding_rule
from treadle_ir.sharding.sharded_type import RESHARD, refuse


@sharding_rule(Randomness)
def randomness_shardings(
    primitive: Randomness, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the dims of the keys; the axes of one draw and the words of a key are replicated."""
    keys, *others = operands
    if any([any(each.dims) for each in others]):
        raise refuse(primitive, operands, "only the keys may be divided", RESHARD)
    batch = keys.dims
    if not is_key(keys.type.dtype):
        behind = len(key_shape(primitive.dtype)) if isinstance(primitive, RandomWrap) else 1
        for axis in range(keys.type.ndim - behind, keys.type.ndim):
            batch = unless_divided(primitive, [keys], axis)
        batch = batch[: keys.type.ndim - behind]
    return [(*batch, *((),) * (type.ndim - len(batch))) for type in results]

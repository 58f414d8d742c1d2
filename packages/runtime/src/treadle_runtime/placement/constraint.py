"""Constraints on where a traced array is placed: the compiled program obeys them."""

from __future__ import annotations

from treadle_ir import Operand, ops, type_of
from treadle_ir.core import layout_of, part_shape
from treadle_ir.tracing import explicit_mesh
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.sharding import Sharding


def constrained(x: Operand, sharding: Sharding, *, even: bool = True) -> Operand:
    """A traced array, laid out so from here on; in parts of one size, unless not `even`.

    Raises:
        ShardingError: it cannot be laid out so.
    """
    if not isinstance(sharding, NamedSharding):
        return x  # where a traced array is, the compiled program decides
    shape = type_of(x).shape
    if even or explicit_mesh() is not None:
        part_shape(shape, sharding.layout(len(shape)), sharding.mesh)
    return ops.sharding_constraint(
        x,
        mesh=sharding.mesh.axes,
        layout=layout_of(sharding.spec, len(shape)),
        device_ids=tuple([device.id for device in sharding.devices]),
    )


def in_memory(x: Operand, sharding: Sharding) -> Operand:
    """A traced array, in the memory of its devices that a sharding is in, from here on."""
    return ops.to_memory(x, kind=sharding.memory_kind)

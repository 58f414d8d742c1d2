"""Shardings of arrays over devices."""

from __future__ import annotations

from typing import Any, TypeVar

from treadle_ir.tracing import installed_sharding

__all__ = ["with_sharding_constraint"]

T = TypeVar("T")


def with_sharding_constraint(x: T, shardings: Any) -> T:
    """Return the arrays of a tree, with the given shardings.

    Within a jitted function it gives the compiler the sharding of an intermediate array; otherwise the array is
    resharded. The value is the same; derivatives have the same sharding.

    Args:
        x: a tree of arrays.
        shardings: a tree of `NamedSharding`, or of `PartitionSpec` over the mesh in force (`set_mesh`), that is a
            prefix of `x`; None leaves an array as it is.

    Raises:
        ShardingError: an array cannot be sharded so.
        PlacementError: there is a specification, and no mesh in force.
        ArgumentError: a leaf is not a sharding, or not an array.

    Example:
        >>> from treadle_numpy import lax
        >>> lax.with_sharding_constraint({"w": 2.0}, None)  # nothing is said of it
        {'w': 2.0}
    """
    if shardings is None:
        return x
    port = installed_sharding("with_sharding_constraint")
    sharded: T = port.with_sharding_constraint(x, shardings)
    return sharded

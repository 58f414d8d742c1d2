"""`jax._src.sharding_impls`: for jaxns, whose functions take an `out_sharding` and pass it on."""

from __future__ import annotations

from typing import Final, final

from treadle.sharding import NamedSharding, PartitionSpec, get_abstract_mesh


def canonicalize_sharding(
    sharding: NamedSharding | PartitionSpec | None,
    api_name: str,
    check_mesh_consistency: bool = True,
) -> NamedSharding | None:
    """Return a sharding over the mesh in force, of one or of its axes alone; None stays None.

    Whether the mesh has the axes is checked where the sharding is used.
    """
    if isinstance(sharding, PartitionSpec):
        return NamedSharding(get_abstract_mesh(), sharding)
    return sharding


@final
class UnspecifiedValue:
    """The class of `UNSPECIFIED`."""

    def __repr__(self) -> str:
        return "UnspecifiedValue"


UNSPECIFIED: Final = UnspecifiedValue()
"""What says that no sharding was asked for, which None does in treadle; for oryx and brainstate."""

"""Shardings as XLA writes them, for code that has them from XLA: as treadle's own, and as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from treadle_compiler import jaxlib, tiles_of
from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import boundaries, refused
from treadle_runtime import Device, NamedSharding, sharding_of_tiles

__all__ = [
    "GSPMDSharding",
    "get_hlo_sharding_from_serialized_proto",
    "get_op_sharding_from_serialized_proto",
    "get_serialized_proto_from_hlo_sharding",
]

HloSharding: TypeAlias = Any  # jaxlib's, which has no types
OpSharding: TypeAlias = Any


def get_op_sharding_from_serialized_proto(sharding: bytes) -> OpSharding:
    """Return the `OpSharding` of jaxlib that bytes hold.

    Raises:
        ArgumentError: they hold none.
    """
    if not isinstance(sharding, bytes):
        raise refused("get_op_sharding_from_serialized_proto", "sharding", "bytes", sharding)
    found = jaxlib().xla_client.OpSharding()
    found.ParseFromString(sharding)
    if found.SerializeToString() != sharding:  # jaxlib does not report bytes that it cannot read
        raise _damaged("get_op_sharding_from_serialized_proto")
    return found


def _damaged(function: str) -> ArgumentError:
    return ArgumentError(
        f"{function}: the bytes hold no sharding",
        fix="pass what `get_serialized_proto_from_hlo_sharding` returned",
    )


def get_hlo_sharding_from_serialized_proto(sharding: bytes) -> HloSharding:
    """Return the `HloSharding` of jaxlib that bytes hold.

    Raises:
        ArgumentError: they hold none.

    Example:
        >>> from jaxlib.xla_client import HloSharding
        >>> kept = get_serialized_proto_from_hlo_sharding(HloSharding.iota_tile((2, 4)))
        >>> get_hlo_sharding_from_serialized_proto(kept)
        {devices=[2,4]<=[8]}
    """
    op = get_op_sharding_from_serialized_proto(sharding)
    try:
        return jaxlib().xla_client.HloSharding.from_proto(op)
    except RuntimeError as error:
        raise _damaged("get_hlo_sharding_from_serialized_proto") from error


def get_serialized_proto_from_hlo_sharding(sharding: HloSharding) -> bytes:
    """Return an `HloSharding` of jaxlib as bytes.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(sharding, jaxlib().xla_client.HloSharding):
        raise refused(
            "get_serialized_proto_from_hlo_sharding", "sharding", "an HloSharding", sharding
        )
    kept: bytes = sharding.to_proto().SerializeToString()
    return kept


def _replicated(
    device_assignment: Sequence[Device], *, memory_kind: str | None = None
) -> NamedSharding:
    """Return the whole of an array on each of the devices."""
    return GSPMDSharding(
        device_assignment, jaxlib().xla_client.HloSharding.replicate(), memory_kind=memory_kind
    )


class GSPMDSharding:
    """The sharding over devices that an `HloSharding`, or an `OpSharding`, of jaxlib says: a `NamedSharding`.

    Its mesh has axes `axis0`, `axis1`, ... for the axes of the array, and `rest` for copies. Nothing is an instance of
    this class.

    Args:
        devices: in the order in which the sharding numbers them.
        op_sharding: XLA's sharding.
        memory_kind: the memory of the devices; None is the memory in which they compute.

    Raises:
        ArgumentError: an argument is not of its kind, or the sharding is of another number of devices.
        UnsupportedError: it does not specify which shard each device has.

    Example:
        >>> import treadle
        >>> from jaxlib.xla_client import HloSharding
        >>> GSPMDSharding(treadle.devices()[:1], HloSharding.replicate()).is_fully_replicated
        True
    """

    get_replicated = staticmethod(_replicated)

    def __new__(  # type: ignore[misc]  # JAX's name, for what is made here
        cls,
        devices: Sequence[Device],
        op_sharding: HloSharding | OpSharding,
        *,
        memory_kind: str | None = None,
    ) -> NamedSharding:
        """Return an equivalent sharding over a mesh of the devices."""
        client = jaxlib().xla_client
        if isinstance(op_sharding, client.OpSharding):
            op_sharding = client.HloSharding.from_proto(op_sharding)
        if not isinstance(op_sharding, client.HloSharding):
            raise refused(
                "GSPMDSharding", "op_sharding", "an HloSharding or an OpSharding", op_sharding
            )
        listed = [*devices]
        for each in listed:
            if not isinstance(each, Device):
                raise refused("GSPMDSharding", "devices", "devices", each)
        tiles = tiles_of(op_sharding)
        if tiles is None:
            raise UnsupportedError(f"GSPMDSharding: {op_sharding} does not say where the parts are")
        if tiles and len(tiles[0]) != len(listed):
            raise ArgumentError(
                f"GSPMDSharding: {op_sharding} is of {len(tiles[0])} devices, but {len(listed)} are given"
            )
        found = sharding_of_tiles(tiles, listed)
        return found if memory_kind is None else found.with_memory_kind(memory_kind)


boundaries(__name__)

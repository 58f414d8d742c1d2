"""The parts of an array, each on one device."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, final

from treadle_ir import Array
from treadle_ir.process import frozen
from treadle_runtime.arrays.array import DeviceArray, buffer_of, device_of
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.placement import Placement, placement_of
from treadle_runtime.placement.sharding import Index, Sharding, SingleDeviceSharding


@final
@frozen
class Shard:
    """The shard of an array on one device."""

    device: Device
    data: Array | None  # None where the device belongs to another process
    index: Index  # if the array is unreduced: the index of the shard of which this is a term
    replica_id: int = 0  # the number of this device among the devices with the same shard

    def __repr__(self) -> str:
        return f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}, data={self.data})"


def _place(device: Device, sharding: Sharding) -> Placement:
    """Return the placement of the shard of one device."""
    alone = SingleDeviceSharding(device, memory_kind=sharding.memory_kind)
    return placement_of(alone, committed=True)


def shards_of(array: DeviceArray, wanted: Collection[Device]) -> list[Shard]:
    """Return the parts of an array on some of its devices."""
    sharding = array.placed.placement.sharding
    if sharding.num_devices == 1 and sharding.is_fully_addressable:
        return [Shard(sharding.devices[0], array, (slice(None),) * array.type.ndim)]
    device_of(array)
    parts = zip(sharding.devices, sharding.parts(array.type.shape), sharding.terms(), strict=True)
    type_ = array.type.with_shape(sharding.shard_shape(array.type.shape))
    buffers = iter(sharding.devices[0].backend.shards(buffer_of(array)))
    data = {
        device: DeviceArray(_place(device, sharding).of(type_), None, buffer)
        for device, buffer in zip(sharding.local_devices, buffers, strict=True)
    }
    copies: dict[Any, int] = {}
    found = []
    for device, part, term in parts:
        key = (term, *[(each.start, each.stop) for each in part])
        copies[key] = copies.get(key, -1) + 1
        if device in wanted:
            found.append(Shard(device, data.get(device), part, copies[key]))
    return found

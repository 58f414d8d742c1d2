"""Where an array is: what users ask of its devices and parts."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, cast, final

from treadle_ir import Array
from treadle_ir.errors import IndexingError, deprecated, integer
from treadle_runtime.arrays.interchange import Interchange
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.placement import PlacedType
from treadle_runtime.placement.sharding import Sharding

if TYPE_CHECKING:
    from treadle_runtime.arrays.array import DeviceArray
    from treadle_runtime.arrays.shard import Shard


class Placed(Interchange):
    """An array in a place."""

    __slots__ = ()
    placed: PlacedType

    @property
    def sharding(self) -> Sharding:
        """How the array is sharded over devices."""
        return self.placed.placement.sharding

    @property
    def device(self) -> Device | Sharding:
        """The device of the array, or its sharding if there are several, as parameters named `device` accept."""
        sharding = self.placed.placement.sharding
        return sharding.devices[0] if sharding.num_devices == 1 else sharding

    @property
    def committed(self) -> bool:
        """Whether the array was put on its devices explicitly, so that computations run there."""
        return self.placed.placement.committed

    def devices(self) -> set[Device]:
        """Return the devices that hold the array."""
        return self.sharding.device_set

    def platform(self) -> str:
        """Return the platform of its devices: `cpu`, `gpu` or `tpu`."""
        return self.placed.placement.device.platform

    @property
    def is_fully_addressable(self) -> bool:
        """Whether all devices of the array belong to this process."""
        return self.sharding.is_fully_addressable

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each device holds the complete array."""
        return self.sharding.is_fully_replicated

    def addressable_data(self, index: int) -> Array:
        """Return the part on the device with this number among its own."""
        shards = self.addressable_shards
        number = integer("addressable_data", "index", index)
        if not 0 <= number < len(shards):
            raise IndexingError(
                f"addressable_data: index is {number}, but the array is on {len(shards)} devices here"
            )
        data = shards[number].data
        assert data is not None, "it is of this process"
        return data

    @property
    def addressable_shards(self) -> list[Shard]:
        """The shards on the devices of this process."""
        return self._shards(self.sharding.local_devices)

    @property
    def global_shards(self) -> list[Shard]:
        """The shards on all devices; shards of other processes have no data here."""
        return self._shards(self.sharding.devices)

    @property
    @deprecated(
        since="0.1", until="1.0", instead="use `addressable_data(0)`, or `device` for the device"
    )
    def device_buffer(self) -> DeviceBuffer:
        """The older spelling of `addressable_data(0)`; deprecated."""
        return DeviceBuffer(self)

    def _shards(self, wanted: Collection[Device]) -> list[Shard]:
        from treadle_runtime.arrays.shard import shards_of  # noqa: PLC0415 - it makes arrays

        return shards_of(cast("DeviceArray", self), wanted)


@final
class DeviceBuffer:
    """What `x.device_buffer` was: a thin view whose `device()` prints as `platform:id`."""

    __slots__ = ("_array",)

    def __init__(self, array: Placed) -> None:
        self._array = array

    def device(self) -> Device:
        """Return the device."""
        return self._array.placed.placement.device

    def __repr__(self) -> str:
        return repr(self._array)

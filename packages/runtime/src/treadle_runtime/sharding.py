"""How an array is laid over devices; today: whole, on one device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from treadle_runtime.devices import Device

if TYPE_CHECKING:
    from treadle_runtime.array import DeviceArray


class Sharding:
    """How an array is laid over devices."""

    __slots__ = ()


@final
@dataclass(frozen=True, slots=True)
class SingleDeviceSharding(Sharding):
    """The whole array on one device."""

    device: Device

    @property
    def device_set(self) -> set[Device]:
        """The one device."""
        return {self.device}

    @property
    def addressable_devices(self) -> set[Device]:
        """The devices of this process among them."""
        return {self.device}

    @property
    def num_devices(self) -> int:
        """How many devices there are."""
        return 1

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each device has the whole array: it has."""
        return True

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process reaches all of it: it does."""
        return True

    @property
    def memory_kind(self) -> str:
        """The kind of memory it is in."""
        return "device"

    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the part on one device: the whole."""
        return global_shape

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """Whether another sharding lays an array of this rank out in the same way."""
        return self == other

    def __repr__(self) -> str:
        return f"SingleDeviceSharding(device={self.device!r}, memory_kind={self.memory_kind})"


@final
@dataclass(frozen=True, slots=True)
class Shard:
    """The part of an array that is on one device."""

    device: Device
    data: DeviceArray
    index: tuple[slice, ...]
    replica_id: int = 0

    def __repr__(self) -> str:
        data: Any = self.data
        return f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}, data={data})"

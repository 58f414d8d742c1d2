"""How an array is laid over devices. Shardings are interned: equal ones are one object.

Today there is one kind, the whole array on one device. What else there may be has to answer the same questions; the
caches, the launches and the arrays ask nothing more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final, final
from weakref import WeakValueDictionary

from treadle_ir import fork_safe_lock
from treadle_runtime.placement.devices import Device


class Sharding(ABC):
    """How an array is laid over devices."""

    __slots__ = ("__weakref__",)

    @property
    @abstractmethod
    def devices(self) -> tuple[Device, ...]:
        """The devices that hold a part, in the order in which a program numbers them."""

    @property
    def device_set(self) -> set[Device]:
        """The devices that hold a part."""
        return {*self.devices}

    @property
    def num_devices(self) -> int:
        """How many devices there are."""
        return len(self.devices)

    @property
    def addressable_devices(self) -> set[Device]:
        """The devices of this process among them."""
        return {d for d in self.devices if d.raw in d.backend.local_devices}

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process reaches all of the array."""
        return len(self.addressable_devices) == len(self.device_set)

    @property
    @abstractmethod
    def is_fully_replicated(self) -> bool:
        """Whether each device has the whole array."""

    @property
    def memory_kind(self) -> str:
        """The kind of memory it is in."""
        return "device"

    @abstractmethod
    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the part on one device, of an array of this shape."""

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """Whether another sharding lays an array of this rank out in the same way."""
        return self is other

    @property
    @abstractmethod
    def raw(self) -> Any:  # Any: jaxlib's sharding
        """The same in jaxlib's terms, for results of programs."""


@final
class SingleDeviceSharding(Sharding):
    """The whole array on one device."""

    __slots__ = ("device",)
    device: Device

    _interned: ClassVar[WeakValueDictionary[Device, SingleDeviceSharding]] = WeakValueDictionary()
    _lock: Final = fork_safe_lock()

    def __new__(cls, device: Device) -> SingleDeviceSharding:
        """The one sharding of a device."""
        with cls._lock:
            found = cls._interned.get(device)
            if found is None:
                found = object.__new__(cls)
                object.__setattr__(found, "device", device)
                cls._interned[device] = found
            return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"shardings are immutable; `{name}` cannot be set")

    @property
    def devices(self) -> tuple[Device, ...]:
        """The one device."""
        return (self.device,)

    @property
    def is_fully_replicated(self) -> bool:
        """The device has the whole array."""
        return True

    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The whole shape."""
        return global_shape

    @property
    def raw(self) -> Any:  # Any: jaxlib's sharding
        """jaxlib's sharding of a result on the device."""
        return self.device.backend.result_sharding(self.device.raw)

    def __reduce__(self) -> tuple[Any, ...]:
        return SingleDeviceSharding, (self.device,)

    def __repr__(self) -> str:
        return f"SingleDeviceSharding(device={self.device!r}, memory_kind={self.memory_kind})"

"""How an array is sharded over devices. Shardings are interned: equal ones are one object.

Two kinds: the complete array on one device (here), and over the axes of a mesh (`named`). The caches, the launches and
the arrays ask only what `Sharding` says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Final, TypeAlias, final
from weakref import WeakValueDictionary

from treadle_ir import ArgumentError
from treadle_ir.errors import integers, names, refused, shown
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_ir.process import fork_safe_lock
from treadle_runtime.client import own_sharding
from treadle_runtime.placement.devices import Device

Index: TypeAlias = tuple[slice, ...]
"""A shard of an array: a slice for each dimension."""


class Sharding(ABC):
    """How an array is sharded over devices."""

    __slots__ = ("__weakref__", "memory_kind")
    memory_kind: str
    """The kind of memory of its devices that the array is in; they compute in the memory that is named `device`."""

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
    def local_devices(self) -> tuple[Device, ...]:
        """The devices of this process among them, in the same order."""
        return tuple([d for d in self.devices if d.raw in d.backend.local_devices])

    @property
    def _addressable_device_assignment(self) -> tuple[Device, ...]:
        """The same under the name that orbax asks for."""
        return self.local_devices

    @property
    def addressable_devices(self) -> set[Device]:
        """The devices of this process among them."""
        return {*self.local_devices}

    @property
    def has_addressable_devices(self) -> bool:
        """Whether any of them is of this process."""
        return bool(self.local_devices)

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process reaches all of the array."""
        return len(self.addressable_devices) == len(self.device_set)

    @property
    @abstractmethod
    def is_fully_replicated(self) -> bool:
        """Whether each device has the complete array."""

    @abstractmethod
    def with_memory_kind(self, kind: str) -> Sharding:
        """Return the same sharding in another kind of memory: `device`, or a memory of the host, such as `pinned_host`.

        Raises:
            PlacementError: the devices have no such memory.
        """

    @abstractmethod
    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the shard on one device, of an array of this shape.

        Raises:
            ShardingError: an array of this shape cannot be sharded like this.
        """

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        """Check that arrays of this rank can be sharded like this, whatever their sizes.

        Raises:
            ShardingError: they have too few axes. (Also a ValueError.)
        """
        integers("check_compatible_aval", "aval_shape", aval_shape)

    @abstractmethod
    def parts(self, shape: tuple[int, ...]) -> tuple[Index, ...]:
        """Return the index of each device's shard of an array of this shape, in the order of `devices`.

        Raises:
            ShardingError: an array of this shape cannot be sharded like this.
        """

    def terms(self) -> tuple[int, ...]:
        """Return the number of each device's term of the sum over unreduced axes, in the order of `devices`; else 0."""
        return (0,) * len(self.devices)

    def devices_indices_map(self, global_shape: tuple[int, ...]) -> Mapping[Device, Index]:
        """Return the index of each device's shard of an array of this shape."""
        shape = integers("devices_indices_map", "global_shape", global_shape)
        return dict(zip(self.devices, self.parts(shape), strict=True))

    def addressable_devices_indices_map(
        self, global_shape: tuple[int, ...]
    ) -> Mapping[Device, Index]:
        """Return the index of each device's shard, for the devices of this process."""
        ours = self.addressable_devices
        return {d: i for d, i in self.devices_indices_map(global_shape).items() if d in ours}

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """Return whether `other` shards arrays of rank `ndim` in the same way."""
        return self is other

    @abstractmethod
    def raw(self, ndim: int) -> Any:  # Any: jaxlib's sharding
        """Return the equivalent sharding of jaxlib for arrays of rank `ndim`."""


def checked_memory_kind(kind: object, devices: Sequence[Device]) -> str:
    """Return the kind of memory for a sharding over `devices`; None stands for the memory in which they compute.

    Raises:
        ArgumentError: `kind` is not a string.
        PlacementError: the devices that belong to this process have no such memory.
    """
    if kind is None:
        return DEVICE_MEMORY
    if not isinstance(kind, str):
        raise refused("a sharding", "memory_kind", "a string or None", kind)
    if kind == DEVICE_MEMORY:
        return DEVICE_MEMORY
    for device in devices:
        if device.raw in device.backend.local_devices:
            return device.memory(kind).kind
    return kind


@final
class SingleDeviceSharding(Sharding):
    """The complete array on one device."""

    __slots__ = ("device",)
    device: Device

    _interned: ClassVar[WeakValueDictionary[tuple[Device, str], SingleDeviceSharding]] = (
        WeakValueDictionary()
    )
    _lock: Final = fork_safe_lock()

    def __new__(cls, device: Device, *, memory_kind: str | None = None) -> SingleDeviceSharding:
        """Return the one sharding of a device and a kind of memory."""
        given: object = device
        if not isinstance(given, Device):
            raw = own_sharding(given, memory_kind)
            if raw is not None:
                return raw  # type: ignore[no-any-return]  # to jaxlib, which alone has such devices
            raise ArgumentError(
                f"SingleDeviceSharding: {shown(given)} of {type(given)} is not a device",
                fix="pass one of treadle.devices()",
            )
        kind = checked_memory_kind(memory_kind, (device,))
        with cls._lock:
            found = cls._interned.get((device, kind))
            if found is None:
                found = object.__new__(cls)
                object.__setattr__(found, "device", device)
                object.__setattr__(found, "memory_kind", kind)
                cls._interned[device, kind] = found
            return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"shardings are immutable; `{name}` cannot be set")

    @property
    def devices(self) -> tuple[Device, ...]:
        """The one device."""
        return (self.device,)

    @property
    def is_fully_replicated(self) -> bool:
        """True: the device has the complete array."""
        return True

    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return `global_shape`, since the device has the complete array."""
        return global_shape

    def parts(self, shape: tuple[int, ...]) -> tuple[Index, ...]:
        """Return the index of the complete array."""
        return ((slice(None),) * len(shape),)

    def with_memory_kind(self, kind: str) -> SingleDeviceSharding:
        """Return the same sharding in another kind of memory of the device.

        Raises:
            PlacementError: it has no such memory.
        """
        names("with_memory_kind", kind=kind)
        return SingleDeviceSharding(self.device, memory_kind=kind)

    def raw(self, ndim: int) -> Any:  # Any: jaxlib's sharding
        """Return jaxlib's sharding of a result on the device."""
        return self.device.backend.result_sharding(self.device.raw, self.memory_kind)

    def __reduce__(self) -> tuple[Any, ...]:
        return _on_one, (self.device, self.memory_kind)

    def __repr__(self) -> str:
        return f"SingleDeviceSharding(device={self.device!r}, memory_kind={self.memory_kind})"


def _on_one(device: Device, memory_kind: str) -> SingleDeviceSharding:
    return SingleDeviceSharding(device, memory_kind=memory_kind)


class Space(Enum):
    """Which memory of its devices an array is in: `Device`, where they compute, or `Host`, which is larger.

    What is `Host` has the kind of memory `pinned_host`, from which devices read by themselves.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> moments = treadle.device_put(tnp.zeros(3), treadle.memory.Space.Host)
        >>> moments.sharding.memory_kind
        'pinned_host'
    """

    Device = DEVICE_MEMORY
    Host = "pinned_host"

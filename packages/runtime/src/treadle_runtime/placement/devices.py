"""Devices as users see them.

A `Device` is made when it is first needed: arrays with the default placement have none, so that eager computations on
the CPU never start jaxlib.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any, Final, final

from treadle_ir.core import AbstractDevice
from treadle_ir.errors import PlacementError, integer_or_none, names, shown
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_ir.process import fork_safe_lock, frozen
from treadle_runtime.client import Backend, backends, requested_platforms

_CLASS_NAMES: Final = {
    "cpu": "CpuDevice",
    "cuda": "CudaDevice",
    "rocm": "RocmDevice",
    "tpu": "TpuDevice",
}


@final
class Device:
    """One device. There is one object for each, so `is` and `==` agree."""

    __slots__ = ("__weakref__", "backend", "raw")

    def __init__(self, backend: Backend, raw: Any) -> None:  # Any: jaxlib's device
        self.backend = backend
        self.raw = raw

    @property
    def id(self) -> int:
        """Its number, unique on its platform over all processes."""
        return int(self.raw.id)

    @property
    def platform(self) -> str:
        """`cpu`, `gpu` or `tpu`."""
        return self.backend.public_platform

    @property
    def device_kind(self) -> str:
        """The model, as the driver names it."""
        return str(self.raw.device_kind)

    @property
    def abstract(self) -> AbstractDevice:
        """What is known of it without having it."""
        return AbstractDevice(self.device_kind, getattr(self.raw, "num_cores", None), self.platform)

    @property
    def process_index(self) -> int:
        """The process that the device belongs to."""
        return int(self.raw.process_index)

    @property
    def host_id(self) -> int:
        """The older name of `process_index`."""
        return self.process_index

    @property
    def local_hardware_id(self) -> int | None:
        """The number of the hardware in its machine, where there is one."""
        number = self.raw.local_hardware_id
        return None if number is None else int(number)

    @property
    def client(self) -> Backend:
        """The started platform that the device belongs to."""
        return self.backend

    def memory_stats(self) -> dict[str, int] | None:
        """Return the statistics of the device's allocator; None if it has none, as on the CPU."""
        return self.backend.memory_stats(self.raw)

    def default_memory(self) -> Memory:
        """Return the memory in which the device computes, which holds arrays unless they are put elsewhere."""
        return Memory(self, DEVICE_MEMORY)

    def addressable_memories(self) -> list[Memory]:
        """Return the memories of the device that can hold arrays."""
        return [self.default_memory(), *[Memory(self, kind) for kind in self._host_memories()]]

    def memory(self, kind: str) -> Memory:
        """Return the memory of a kind.

        Raises:
            PlacementError: the device has no memory of that kind which can hold arrays.
        """
        kinds = (DEVICE_MEMORY, *self._host_memories())
        if kind not in kinds:
            raise PlacementError(
                f"{self} has no memory of the kind {shown(kind)} that arrays can be in",
                fix=f"use one of {', '.join(map(repr, kinds))}",
            )
        return Memory(self, kind)

    def _host_memories(self) -> list[str]:
        """Return the kinds of host memory that the device can access."""
        return [m.kind for m in self.raw.addressable_memories() if m.kind != DEVICE_MEMORY]

    def __repr__(self) -> str:
        platform = self.backend.platform
        return f"{_CLASS_NAMES.get(platform, platform.capitalize() + 'Device')}(id={self.id})"

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"

    def __reduce__(self) -> tuple[Any, ...]:
        return device_by_id, (self.backend.platform, self.id)

    def __enter__(self) -> Device:
        raise TypeError("a device is not a context manager; write `with default_device(device):`")

    def __exit__(self, *error: object) -> None:
        """Never reached: `__enter__` refuses."""


@final
@frozen
class Memory:
    """A device's memory that arrays can be in."""

    device: Device
    kind: str

    @property
    def platform(self) -> str:
        """The platform of its device."""
        return self.device.platform

    @property
    def process_index(self) -> int:
        """The number of the process that its device belongs to."""
        return self.device.process_index

    def addressable_by_devices(self) -> list[Device]:
        """Return the devices that can access the memory: its own device."""
        return [self.device]


def device_by_id(platform: str, number: int) -> Device:
    """Return the device of a platform with this number.

    Raises:
        PlacementError: there is no such device.
    """
    for device in devices(platform):
        if device.id == number:
            return device
    raise PlacementError(f"there is no device {platform}:{number} in this process")


_known: Final[dict[tuple[int, int], Device]] = {}
_lock: Final = fork_safe_lock()


def device_of(backend: Backend, raw: Any) -> Device:  # Any: jaxlib's device
    """Return the `Device` of a device of a backend."""
    key = (id(backend), raw.id)  # backends live as long as the process
    found = _known.get(key)
    if found is None:
        with _lock:
            found = _known.setdefault(key, Device(backend, raw))
    return found


def devices(backend: str | None = None) -> list[Device]:
    """Return all devices of a platform.

    Args:
        backend: the name of the platform, such as "cpu" or "gpu"; the default platform if None.

    Raises:
        PlatformError: the platform cannot be started; also a RuntimeError.

    Example:
        >>> devices("cpu")[0].platform
        'cpu'
    """
    platform = backends.get(backend)
    return [device_of(platform, raw) for raw in platform.devices]


def local_devices(
    process_index: int | None = None, backend: str | None = None, host_id: int | None = None
) -> list[Device]:
    """Return the devices of this process, or of another process.

    Args:
        process_index: the index of the process; this process if None.
        backend: the name of the platform; the default platform if None.
        host_id: the older name of `process_index`.

    Example:
        >>> local_devices()[0].id
        0
    """
    wanted = integer_or_none(
        "local_devices", "process_index", host_id if process_index is None else process_index
    )
    platform = backends.get(backend)
    if wanted is None:
        return [device_of(platform, raw) for raw in platform.local_devices]
    return [device for device in devices(backend) if device.process_index == wanted]


def device_count(backend: str | None = None) -> int:
    """Return the number of devices of a platform, over all processes.

    Example:
        >>> device_count() == len(devices())
        True
    """
    return len(backends.get(backend).devices)


def local_device_count(backend: str | None = None) -> int:
    """Return the number of devices of a platform in this process.

    Example:
        >>> local_device_count() == len(local_devices())
        True
    """
    return len(backends.get(backend).local_devices)


def default_backend() -> str:
    """Return the platform on which computations run by default: `cpu`, `gpu` or `tpu`.

    Example:
        >>> default_backend() in ("cpu", "gpu", "tpu")
        True
    """
    return backends.default().public_platform


def base_device() -> Device:
    """Return the first device of the default platform, which holds arrays unless they are put elsewhere."""
    backend = backends.named_default()
    return device_of(backend, backend.local_devices[0])


_on_host: list[bool] = []  # once it is known


def host_is_default() -> bool:
    """Return whether the default platform is the CPU, without starting jaxlib if that is possible."""
    if not _on_host:
        _on_host.append(_platform_is_cpu())
    return _on_host[0]


def _platform_is_cpu() -> bool:
    if not backends.started:
        names, _ = requested_platforms(os.environ)
        if names[:1] == ("cpu",):
            return True
        plugins = any(
            importlib.util.find_spec(name) is not None for name in ("jax_plugins", "libtpu")
        )
        if not names and not plugins:
            return True
    return backends.named_default().platform == "cpu"


def as_device(device: Device | str) -> Device:
    """Return `device` if it is a device, or the first device of the platform of that name.

    Raises:
        PlacementError: `device` is neither a device nor the name of a platform.
    """
    if isinstance(device, Device):
        return device
    if isinstance(device, str):
        return devices(device)[0]
    raise PlacementError(
        f"{shown(device)} is not a device",
        fix="pass one of treadle.devices(), or the name of a platform",
    )


def process_count(backend: str | None = None) -> int:
    """Return how many processes run the program together: one, unless `distributed.initialize` was called.

    Example:
        >>> process_count()
        1
    """
    _check("process_count", backend)
    return 1 if backends.peers is None else backends.peers.count


def process_index(backend: str | None = None) -> int:
    """Return the number of this process among the processes that run the program, from 0.

    Example:
        >>> process_index()
        0
    """
    _check("process_index", backend)
    return 0 if backends.peers is None else backends.peers.process


def process_indices(backend: str | None = None) -> list[int]:
    """Return the numbers of all processes.

    Example:
        >>> import treadle
        >>> treadle.process_indices()
        [0]
    """
    return [*range(process_count(backend))]


def _check(function: str, backend: str | None) -> None:
    names(function, backend=backend)
    if backend is not None:
        backends.get(backend)  # refuses what there is not

"""The platforms that treadle runs on, as jaxlib's clients: for tools that look under arrays and compiled functions.

What a client gives and takes belongs to jaxlib, and changes with its releases. Arrays, devices and compiled functions
of treadle need none of it. A platform lives as long as its process, and jaxlib has those that treadle starts, so
`clear_backends` and `register_backend_factory` say what there is in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

import treadle.numpy as tnp
from treadle.cache_clearing import also_clear
from treadle_compiler import forget_executables, raw_compile_options
from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import RangeError, boundaries, flags, integer, names, refused, sequence
from treadle_runtime import Device, backends as _backends

__all__ = [
    "backend_xla_version",
    "backends",
    "clear_backends",
    "clear_in_memory_compilation_cache",
    "get_backend",
    "get_compile_options",
    "get_default_device",
    "register_backend_cache",
    "register_backend_factory",
]

Client = Any  # a client of jaxlib, which has no types


class Cache(Protocol):
    """What can be emptied, such as a function with `functools.lru_cache`."""

    def cache_clear(self) -> None:
        """Empty it."""


def backends() -> dict[str, Client]:
    """Return the platforms that have been started, at least the default one, as jaxlib's clients by name.

    Example:
        >>> from treadle.extend import backend
        >>> backend.get_backend() in backend.backends().values()
        True
    """
    _backends.default()
    return {name: _backends.get(name).raw for name in _backends.started}


def get_backend(platform: str | Client | None = None) -> Client:
    """jaxlib's client of a platform: of one by its name, or of the default one; a client is returned as it is.

    Raises:
        PlatformError: it cannot be started.

    Example:
        >>> from treadle.extend import backend
        >>> backend.get_backend("cpu").platform
        'cpu'
    """
    if platform is None or isinstance(platform, str):
        return _backends.get(platform).raw
    if not hasattr(platform, "compile_and_load"):
        raise refused("get_backend", "platform", "a name such as 'cpu', or a client", platform)
    return platform


def backend_xla_version(platform: str | None = None) -> int | None:
    """Return the version of XLA that a platform's plugin names, or None where it names none, as the CPU.

    Raises:
        PlatformError: the platform cannot be started.

    Example:
        >>> from treadle.extend import backend
        >>> print(backend.backend_xla_version("cpu"))
        None
    """
    names("backend_xla_version", platform=platform)
    version: int | None = getattr(get_backend(platform), "xla_version", None)
    return version


def get_default_device() -> Device:
    """Return the device on which arrays are made by default.

    Example:
        >>> import treadle
        >>> from treadle.extend import backend
        >>> backend.get_default_device() == treadle.devices()[0]
        True
    """
    device: Device
    (device,) = tnp.zeros(()).devices()
    return device


def get_compile_options(
    num_replicas: int,
    num_partitions: int,
    device_assignment: Any = None,  # an array of devices
    env_options_overrides: Mapping[str, str] | None = None,
    fdo_profile: bytes | None = None,
    detailed_logging: bool = True,
    backend: Client | None = None,
) -> Any:  # Any: jaxlib's
    """Options by which jaxlib's clients compile.

    Args:
        num_replicas: how many copies of the program run.
        num_partitions: over how many devices each is spread.
        device_assignment: the devices, in rows of partitions for each replica; None: as XLA chooses.
        env_options_overrides: XLA's flags.
        fdo_profile: a profile to optimise by.
        detailed_logging: whether XLA logs.
        backend: the client, which does not matter here.

    Raises:
        ArgumentError: the number of devices is not the number of replicas times partitions.

    Example:
        >>> from treadle.extend import backend
        >>> options = backend.get_compile_options(1, 1, env_options_overrides={"xla_cpu_enable_fast_math": "true"})
        >>> options.num_replicas, options.env_option_overrides
        (1, [('xla_cpu_enable_fast_math', 'true')])
    """
    replicas = _count("num_replicas", num_replicas)
    partitions = _count("num_partitions", num_partitions)
    flags("get_compile_options", detailed_logging=detailed_logging)
    overrides: Any = {} if env_options_overrides is None else env_options_overrides
    if not isinstance(overrides, Mapping):
        raise refused("get_compile_options", "env_options_overrides", "a dict", overrides)
    for name, value in overrides.items():
        if not isinstance(name, str) or not isinstance(value, (str, bool, int, float)):
            raise refused("get_compile_options", "each flag", "a name with a value", (name, value))
    if fdo_profile is not None and not isinstance(fdo_profile, bytes):
        raise refused("get_compile_options", "fdo_profile", "bytes", fdo_profile)
    ids = None
    if device_assignment is not None:
        listed = _listed(device_assignment)
        if len(listed) != replicas * partitions:
            raise ArgumentError(
                f"get_compile_options: {len(listed)} devices for {replicas} x {partitions} parts of work",
                fix="name one device for each replica and partition",
            )
        ids = [_number("each device", getattr(each, "id", each)) for each in listed]
    return raw_compile_options(
        replicas, partitions, ids, overrides, fdo_profile, bool(detailed_logging)
    )


def _number(name: str, value: object) -> int:
    """Return an integer of 32 bits, from 0."""
    number = integer("get_compile_options", name, value)
    if not 0 <= number < 1 << 31:
        raise RangeError(f"get_compile_options: {name} must be from 0 to 2**31 - 1, got {number}")
    return number


def _count(name: str, value: object) -> int:
    count = _number(name, value)
    if not count:
        raise RangeError(f"get_compile_options: {name} must be positive")
    return count


def _listed(devices: Any) -> list[Any]:
    """Return the devices of an array, or of sequences in a sequence."""
    if isinstance(devices, np.ndarray):
        return [*devices.reshape(-1)]
    found: list[Any] = []
    for row in sequence("get_compile_options", "device_assignment", devices):
        found += (
            _listed(row)
            if isinstance(row, np.ndarray)
            else [*row]
            if isinstance(row, (list, tuple))
            else [row]
        )
    return found


def clear_in_memory_compilation_cache() -> None:
    """Clear the cache of executables of equal programs; `treadle.clear_caches` clears all others.

    Example:
        >>> from treadle.extend import backend
        >>> backend.clear_in_memory_compilation_cache()
    """
    forget_executables()


def register_backend_cache(cache: Cache, for_what: str) -> None:
    """Let `treadle.clear_caches` empty a cache of your own, one for each name.

    Raises:
        ArgumentError: it has no `cache_clear`.

    Example:
        >>> import functools
        >>> import treadle
        >>> from treadle.extend import backend
        >>> @functools.lru_cache
        ... def table(n):
        ...     return list(range(n))
        >>> backend.register_backend_cache(table, "tables")
        >>> _ = table(3)
        >>> treadle.clear_caches()
        >>> table.cache_info().currsize
        0
    """
    names("register_backend_cache", for_what=for_what)
    if not callable(getattr(cache, "cache_clear", None)):
        raise refused(
            "register_backend_cache", "cache", "something with a method cache_clear", cache
        )
    also_clear(for_what, cache.cache_clear)


def clear_backends(_crash: bool = False) -> None:
    """JAX forgets its platforms here, so that others can be started.

    Raises:
        UnsupportedError: always: arrays and executables live in them.
    """
    raise UnsupportedError(
        "clear_backends: a platform lives as long as its process",
        fix="call `treadle.clear_caches()` to forget programs; start a process of its own for other devices",
    )


def register_backend_factory(
    name: str,
    factory: Callable[[], Client | None],
    *,
    priority: int = 0,
    fail_quietly: bool = True,
    experimental: bool = False,
    make_topology: object = None,
    c_api: object = None,
) -> None:
    """JAX learns of further platforms here.

    Raises:
        UnsupportedError: always: lowering and kernels are written for the platforms that treadle knows.
    """
    raise UnsupportedError(
        f"register_backend_factory: the platform {name!r} cannot be added",
        fix="use `cpu`, `cuda` or `tpu`, whose plugins are found by themselves",
    )


boundaries(__name__)

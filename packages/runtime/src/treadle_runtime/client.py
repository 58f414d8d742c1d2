"""Backends: devices and raw buffers; the only file of the runtime that touches a jaxlib client.

A `Backend` is one started platform. Its methods take and give *buffers* (jaxlib arrays), which nothing above
`treadle_runtime` sees. `Backends` starts them when first asked for, in the order that the environment wants.

Synchronous or asynchronous CPU client, median latency of call and wait, us (two products of n x n, 0.10.2 | 0.12.0):

    n                 4          16          32          64          128         256
    asynchronous      5.1 | 5.4  29 | 5.2    20 | 29     20 | 20     68 | 66     288 | 247
    synchronous       4.9 | 5.1  5.0 | 4.5   5.5 | 5.3   11 | 10     45 | 44     254 | 242
    dispatch, async   4.5 | 5.1  3.5 | 3.4   3.4 | 4.6   3.6 | 3.6   3.7 | 3.9   5.8 | 6.0

The hand-over to a thread costs some 10 to 25 us, so a synchronous client is the better one up to about 1e7
floating-point operations a call *if the caller waits for the result at once*; a caller who goes on to other work gets
it back after 4 us from an asynchronous one at any size. Buffers belong to one client: a program of the other refuses
them ("is on device cpu:0, but replica is assigned to device cpu:0"), and moving one over by `adopt` costs about
3 us. Hence one client for a process: asynchronous by default, as users of JAX expect, `TREADLE_CPU_ASYNC=0` for
processes that make many small calls and read each result.

jaxlib imports jax by itself on some paths (jaxlib-facts section 0). The few that cannot be avoided are inside
`no_jax_import`, which answers jaxlib's question without loading jax.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import re
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from treadle_compiler import fork_error, jaxlib
from treadle_ir import ArgumentError, DonatedError, DTypeError, PlacementError, TreadleError

ALIGNMENT: Final = 64
"""XLA:CPU uses a NumPy buffer in place exactly when its address is a multiple of this."""

_PRECOPY_BYTES: Final = 1 << 25
"""From here on, copying into aligned memory and handing that over beats jaxlib's copy (64 MB: 6 ms, 29 ms)."""

Buffer = Any  # a jaxlib array; jaxlib has no types
Device = Any  # a jaxlib device
Handler = Any  # what turns one raw result into a buffer


class PlatformError(TreadleError, RuntimeError):
    """A platform cannot be started, or has not been started."""


class PlatformWarning(UserWarning):
    """An accelerator is installed and cannot be used, so that work goes to another platform."""


class ExecutionError(TreadleError, RuntimeError):
    """A compiled program failed while it ran."""


# --------------------------------------------------------------------------- the guard against jax


@final
class _Aval:
    """The type of an array as jaxlib wants to see it: exactly these three attributes."""

    __slots__ = ("dtype", "shape", "weak_type")

    def __init__(self, shape: Sequence[int], dtype: object, weak_type: bool = False) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)  # type: ignore[call-overload]  # whatever NumPy takes as a dtype
        self.weak_type = weak_type


def _make_aval(shape: Sequence[int], dtype: object, weak_type: bool = False) -> object:
    # jaxlib keeps this function for ever, so if jax is loaded later it must hand over to the real class.
    real = sys.modules.get("jax.core")
    if real is None or real is _STUBS["jax.core"]:
        return _Aval(shape, dtype, weak_type)
    return real.ShapedArray(shape, dtype, weak_type=weak_type)


def _stubs() -> dict[str, types.ModuleType | None]:
    top, core, source = (types.ModuleType(name) for name in ("jax", "jax.core", "jax._src"))
    top.__dict__.update(__path__=[], core=core)
    source.__dict__.update(__path__=[])
    core.__dict__.update(ShapedArray=_make_aval)
    return {"jax": top, "jax.core": core, "jax._src": source, "jax._src.sharding_impls": None}


_STUBS: Final = _stubs()
_guard: Final = threading.RLock()


@contextmanager
def no_jax_import() -> Iterator[None]:
    """Keep jaxlib from importing jax meanwhile; nothing happens if jax is loaded already."""
    with _guard:
        if "jax" in sys.modules:
            yield
            return
        sys.modules.update(_STUBS)  # type: ignore[arg-type]  # None there means: do not look for it
        try:
            yield
        finally:
            for name, stub in _STUBS.items():
                if sys.modules.get(name) is stub:
                    sys.modules.pop(name, None)


# --------------------------------------------------------------------------- one platform


@final
class Backend:
    """One started platform: its devices, and what can be done with buffers on them.

    `platform` is the name that lowering knows (`cpu`, `cuda`, `tpu`); `public_platform` is what users see
    (`gpu` for `cuda`). `devices` are all of them, `local_devices` those of this process. `raw` is jaxlib's
    client, for `treadle_compiler` only.
    """

    __slots__ = (
        "_put_shardings",
        "_result_shardings",
        "asynchronous",
        "devices",
        "local_devices",
        "platform",
        "public_platform",
        "raw",
        "usable",
    )

    def __init__(self, raw: Any, platform: str, *, asynchronous: bool = True) -> None:
        self.raw = raw
        self.platform = platform
        self.public_platform = "gpu" if platform in {"cuda", "rocm"} else platform
        self.devices: tuple[Device, ...] = tuple(raw.devices())
        self.local_devices: tuple[Device, ...] = tuple(raw.local_devices())
        self.asynchronous = asynchronous
        self.usable = True  # False in a forked child
        self._put_shardings: dict[Device, Any] = {}
        self._result_shardings: dict[Device, Any] = {}

    def __repr__(self) -> str:
        return f"<Backend {self.platform} with {len(self.devices)} devices>"

    # ---- host to device

    def put(
        self, array: np.ndarray[Any, Any], device: Device | None = None, *, owned: bool = False
    ) -> Buffer:
        """Copy a NumPy array to a device (the first, if none is named).

        `owned` says that nobody will write to the array any more: the CPU then uses its memory in place if it is
        aligned to 64 bytes (see `aligned_empty`), and copies otherwise.

        Raises:
            DTypeError: the array's dtype has no counterpart on devices.
            ForkError: in a process forked after the backend was started.
        """
        if not self.usable:
            raise fork_error()
        target = self.local_devices[0] if device is None else device
        client = jaxlib().xla_client
        if not owned and (array.nbytes >= _PRECOPY_BYTES or not array.flags.c_contiguous):
            copy = aligned_empty(array.shape, array.dtype)
            np.copyto(copy, array)
            array, owned = copy, True
        try:
            return client.batched_device_put(
                _Aval(array.shape, array.dtype),
                self.sharding(target),
                [array],
                [target],
                True,  # committed: our own arrays know better
                force_copy=not owned,
                enable_x64=True,  # dtypes are decided above; never narrow here
            )
        except (TypeError, ValueError, jaxlib().core.JaxRuntimeError) as error:
            if array.dtype.kind in "OSUMm" or "dtype" in str(error).lower():
                raise DTypeError(
                    f"arrays of dtype {array.dtype} cannot be put on a device",
                    fix="convert it to a number type first, such as float32",
                ) from error
            raise execution_error(error) from error

    def put_shards(
        self,
        shards: Sequence[np.ndarray[Any, Any]],
        shape: Sequence[int],
        devices: Sequence[Device],
        sharding: Any,  # a jaxlib GSPMDSharding over the devices
    ) -> Buffer:
        """Copy one host array for each device and make one sharded buffer of them."""
        if not self.usable:
            raise fork_error()
        client = jaxlib().xla_client
        aval = _Aval(shape, shards[0].dtype)
        return client.batched_device_put(
            aval, sharding, list(shards), list(devices), True, force_copy=True, enable_x64=True
        )

    def adopt(self, buffer: Buffer, source: Backend, device: Device | None = None) -> Buffer:
        """Bring a buffer of another backend here; from CPU to CPU without a copy."""
        return self.put(source.read(buffer), device, owned=True)

    # ---- results

    def handler(
        self, shape: Sequence[int], dtype: object, sharding: Any, committed: bool = False
    ) -> Handler:
        """What turns one raw result into a buffer; `shape` is the whole one if it is sharded."""
        core = jaxlib().core
        # Releases up to 0.10 would otherwise call a hook that only jax installs.
        extra = (
            {"_skip_checks": True}
            if "_skip_checks" in (core.array_result_handler.__doc__ or "")
            else {}
        )
        return core.array_result_handler(_Aval(shape, dtype), sharding, committed, **extra)

    def handlers(
        self, shapes_dtypes: Iterable[tuple[Sequence[int], object]], device: Device | None = None
    ) -> list[Handler]:
        """Result handlers for a program on one device, to be made once and kept with it.

        They are believed: XLA does not compare them with what it computed.
        """
        target = self.local_devices[0] if device is None else device
        sharding = self._result_shardings.get(target)
        if sharding is None:
            sharding = jaxlib().xla_client.SingleDeviceSharding(target)
            self._result_shardings[target] = sharding
        made: dict[tuple[tuple[int, ...], object], Handler] = {}
        handlers = []
        for shape, dtype in shapes_dtypes:
            key = (tuple(shape), np.dtype(dtype))  # type: ignore[call-overload]  # any dtype
            if key not in made:
                made[key] = self.handler(*key, sharding)
            handlers.append(made[key])
        return handlers

    def sharding(self, device: Device) -> Any:
        """The jaxlib sharding of a buffer on one device, in the form that every release's put accepts."""
        found = self._put_shardings.get(device)
        if found is None:
            client = jaxlib().xla_client
            whole = client.HloSharding.replicate()
            found = client.GSPMDSharding(client.DeviceList((device,)), whole)
            self._put_shardings[device] = found
        return found

    # ---- device to host

    def read(self, buffer: Buffer) -> np.ndarray[Any, Any]:
        """The value of a buffer, read-only, waiting for it; without a copy where that is possible.

        Raises:
            DonatedError: the buffer has been deleted or donated.
            ExecutionError: the computation of the value failed.
        """
        try:
            return np.asarray(memoryview(buffer))
        except BufferError:
            pass
        if buffer.is_deleted():
            raise _deleted()
        self.block(
            buffer
        )  # a failed computation says so here; the buffer protocol only says that it cannot
        return _read_uncommon(buffer)

    def shards(self, buffer: Buffer) -> list[Buffer]:
        """The parts of a sharded buffer, one for each local device, in the sharding's order of devices."""
        if buffer.is_deleted():
            raise _deleted()
        with no_jax_import():
            return list(buffer._arrays)

    # ---- state of a buffer

    def is_ready(self, buffer: Buffer) -> bool:
        """Whether the value is there. A failed computation counts as ready."""
        if buffer.is_deleted():  # 0.10.2 dies of asking a deleted array whether it is ready
            raise _deleted()
        return bool(buffer.is_ready())

    def block(self, buffer: Buffer) -> None:
        """Wait for the value.

        Raises:
            DonatedError: the buffer has been deleted or donated.
            ExecutionError: its computation failed.
        """
        try:
            buffer.block_until_ready()
        except jaxlib().core.JaxRuntimeError as error:
            if buffer.is_deleted():
                raise _deleted() from error
            raise execution_error(error) from error

    def block_all(self, buffers: Sequence[Buffer]) -> None:
        """Wait for many values at once."""
        try:
            jaxlib().core.batched_block_until_ready(list(buffers))
        except jaxlib().core.JaxRuntimeError as error:
            if any(buffer.is_deleted() for buffer in buffers):
                raise _deleted() from error
            raise execution_error(error) from error

    def is_deleted(self, buffer: Buffer) -> bool:
        """Whether the buffer has been deleted or donated."""
        return bool(buffer.is_deleted())

    def delete(self, buffer: Buffer) -> None:
        """Give the memory back now."""
        buffer.delete()

    def copy_to_device(self, buffer: Buffer, device: Device) -> Buffer:
        """A copy on a device of this backend, also if it is there already; does not wait.

        Raises:
            DonatedError: the buffer has been deleted or donated.
        """
        if not self.usable:
            raise fork_error()
        if buffer.is_deleted():
            raise _deleted()
        client, core = jaxlib().xla_client, jaxlib().core
        try:
            (copy,) = core.batched_copy_array_to_devices_with_sharding(
                [buffer],
                [client.DeviceList((device,))],
                [self.sharding(device)],
                [client.ArrayCopySemantics.ALWAYS_COPY],
            )
        except core.JaxRuntimeError as error:
            raise execution_error(error) from error
        return copy

    def pointer(self, buffer: Buffer) -> int:
        """The address of the buffer's memory; waits for the value on the CPU."""
        if buffer.is_deleted():
            raise _deleted()
        try:
            return int(np.asarray(memoryview(buffer)).ctypes.data)
        except BufferError:
            with no_jax_import():
                return int(buffer.unsafe_buffer_pointer())

    def size(self, buffer: Buffer) -> int:
        """Bytes on the device."""
        if buffer.is_deleted():
            raise _deleted()
        return int(buffer.on_device_size_in_bytes())

    def memory_stats(self, device: Device) -> dict[str, int] | None:
        """What a device's allocator says of itself; None where it says nothing, as on the CPU."""
        stats = device.memory_stats()
        return None if stats is None else {str(name): int(value) for name, value in stats.items()}


def aligned_empty(shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A new array whose memory a CPU backend can use in place."""
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.empty(count + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + count].view(dtype).reshape(shape)


def execution_error(error: BaseException) -> TreadleError:
    """Turn jaxlib's exception into ours: what went wrong first, C++ traces left out."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    if "deleted or donated" in first:
        return _deleted()
    if "RESOURCE_EXHAUSTED" in first:
        return ExecutionError(
            f"out of memory: {first}", fix="use smaller batches, donate arguments, or checkpoint"
        )
    detail = "; ".join(lines[:8])
    return ExecutionError(f"a compiled program failed: {detail}")


def _deleted() -> DonatedError:
    return DonatedError(
        "this array's memory has been donated or deleted",
        fix="use the result of the call that it was donated to, or do not donate it",
    )


class _DlTensor(ctypes.Structure):
    """The start of a DLPack tensor: where its memory is."""

    _fields_ = [  # type: ignore[mutable-override]  # ctypes says so itself
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


def _read_uncommon(buffer: Buffer) -> np.ndarray[Any, Any]:
    """Read what the buffer protocol refuses: bfloat16, the small floats and integers, other devices."""
    if getattr(type(buffer), "_to_np_array_did_copy", None) is not None:  # from 0.11
        value = buffer._to_np_array_did_copy()[0]
    else:
        value = _read_by_dlpack(buffer)
        if value is None:
            with no_jax_import():
                value = buffer._single_device_array_to_np_array_did_copy()[0]
    result: np.ndarray[Any, Any] = value
    result.flags.writeable = False
    return result


def _read_by_dlpack(buffer: Buffer) -> np.ndarray[Any, Any] | None:
    """A view of a whole-byte buffer on the CPU through its DLPack capsule; None if there is no such view."""
    dtype: np.dtype[Any] = buffer.aval.dtype
    shape: tuple[int, ...] = buffer.aval.shape
    count = int(np.prod(shape, dtype=np.int64))
    if buffer.platform() != "cpu" or buffer.on_device_size_in_bytes() != count * dtype.itemsize:
        return None
    try:
        capsule = jaxlib().core.buffer_to_dlpack_managed_tensor(buffer)
    except jaxlib().core.JaxRuntimeError:
        return None
    if count == 0:
        return np.empty(shape, dtype)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = _DlTensor.from_address(get(capsule, b"dltensor"))
    if tensor.bits * tensor.lanes != 8 * dtype.itemsize:
        return None  # four-bit floats: said to take a byte each, and packed all the same
    address = tensor.data + tensor.byte_offset
    memory: Any = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
    memory._owner = capsule  # which holds the buffer as long as a view of the memory lives
    view: np.ndarray[Any, Any] = np.frombuffer(memory, np.uint8).view(dtype).reshape(shape)
    return view


# --------------------------------------------------------------------------- starting them


def requested_platforms(environ: Mapping[str, str]) -> tuple[tuple[str, ...], bool]:
    """The platforms that the environment names, best first, and whether there may be no others.

    TREADLE_PLATFORMS, or else JAX_PLATFORMS, is a complete list. TREADLE_PLATFORM_NAME, or else
    JAX_PLATFORM_NAME, only says which one comes first.
    """
    for name in ("TREADLE_PLATFORMS", "JAX_PLATFORMS"):
        names = _split(environ.get(name, ""))
        if names:
            return names, True
    for name in ("TREADLE_PLATFORM_NAME", "JAX_PLATFORM_NAME"):
        names = _split(environ.get(name, ""))
        if names:
            return names[:1], False
    return (), False


def _split(text: str) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in text.split(",") if word.strip())


def cpu_device_count(environ: Mapping[str, str]) -> int:
    """How many devices the CPU is to show.

    TREADLE_NUM_CPU_DEVICES, or JAX_NUM_CPU_DEVICES, or XLA_FLAGS=--xla_force_host_platform_device_count=N.

    Raises:
        ArgumentError: not a positive number.
    """
    name, text = "", ""
    for name in ("TREADLE_NUM_CPU_DEVICES", "JAX_NUM_CPU_DEVICES"):
        text = environ.get(name, "").strip()
        if text and text != "-1":
            break
    else:
        name = "XLA_FLAGS=--xla_force_host_platform_device_count"
        found = re.findall(
            r"--xla_force_host_platform_device_count[= ](\S+)", environ.get("XLA_FLAGS", "")
        )
        if not found:
            return 1
        text = found[-1]
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentError(
            f"{name} must be a positive number, got {text!r}",
            fix=f"set it to 1 or more, or unset {name}",
        )
    return int(text)


_OFF: Final = frozenset({"0", "off", "false", "no"})
_KNOWN: Final = frozenset({"cpu", "cuda", "tpu"})


@final
class Backends:
    """The backends of this process, each started when it is first asked for.

    A backend lives as long as the process: buffers and executables keep it alive. Threads may ask at once.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._lock = threading.RLock()
        self._started: dict[str, Backend] = {}
        self._failed: dict[str, PlatformError] = {}
        self._default: Backend | None = None
        self._platforms: tuple[str, ...] | None = None
        self._cpu_devices: int | None = None
        self._cpu_asynchronous: bool | None = None
        self._forked = False

    def configure(
        self,
        *,
        platforms: str | Sequence[str] | None = None,
        num_cpu_devices: int | None = None,
        cpu_asynchronous: bool | None = None,
    ) -> None:
        """Say in code what the environment could say; it must come before the first use.

        Raises:
            PlatformError: a backend has been started already.
            ArgumentError: not a positive number of devices.
        """
        if num_cpu_devices is not None and num_cpu_devices < 1:
            raise ArgumentError(
                f"num_cpu_devices must be a positive number, got {num_cpu_devices}",
                fix="set it to 1 or more",
            )
        with self._lock:
            if self._started:
                raise PlatformError(
                    f"platforms cannot be configured any more: {', '.join(self._started)} has been started",
                    fix="configure before the first array or compiled call, or use TREADLE_PLATFORMS",
                )
            if platforms is not None:
                names = _split(platforms) if isinstance(platforms, str) else tuple(platforms)
                self._platforms = names or None
            if num_cpu_devices is not None:
                self._cpu_devices = num_cpu_devices
            if cpu_asynchronous is not None:
                self._cpu_asynchronous = cpu_asynchronous
            self._failed.clear()

    @property
    def started(self) -> tuple[str, ...]:
        """The platforms that are running."""
        return tuple(self._started)

    def default(self) -> Backend:
        """The backend that work goes to unless something says otherwise.

        Raises:
            PlatformError: none of the wanted platforms can be started.
            ForkError: in a forked child.
        """
        if self._default is None or self._forked:
            self._check_fork()
            with self._lock:
                if self._default is None:
                    self._default = self._first()
        return self._default

    def get(self, platform: str | None = None) -> Backend:
        """The backend of a platform: `cpu`, `gpu` (any), `cuda`, `rocm`, `tpu`.

        Raises:
            PlatformError: it cannot be started, or TREADLE_PLATFORMS leaves it out.
            ForkError: in a forked child.
        """
        if platform is None:
            return self.default()
        self._check_fork()
        wanted = _canonical(platform)
        with self._lock:
            names, only = self._wanted()
            chosen = {_canonical(name) for name in names}
            # What is not known at all is told as such below.
            if only and wanted in _KNOWN and wanted not in chosen:
                raise PlatformError(
                    f"platform `{platform}` is not among the chosen platforms ({', '.join(names)})",
                    fix=f"add `{platform}` to TREADLE_PLATFORMS (or JAX_PLATFORMS)",
                )
            return self._start(wanted)

    def _check_fork(self) -> None:
        if self._forked:
            raise fork_error()

    def _wanted(self) -> tuple[tuple[str, ...], bool]:
        if self._platforms is not None:
            return self._platforms, True
        return requested_platforms(self._environ)

    def _first(self) -> Backend:
        names, only = self._wanted()
        if not only:
            if names:
                return self._start(_canonical(names[0]))
            found = [name for name in ("cuda", "tpu") if _library(name, self._environ) is not None]
            names = (*found, "cpu")
        reasons: list[PlatformError] = []
        for name in names:
            try:
                backend = self._start(_canonical(name))
            except PlatformError as error:
                reasons.append(error)
                continue
            if reasons and not only:  # nobody asked for a list, so nobody expects the second best
                warnings.warn(
                    f"{reasons[0]}; using `{name}`\n  fix: set TREADLE_PLATFORMS={name} to say that this is meant",
                    PlatformWarning,
                    stacklevel=2,
                )
            return backend
        if len(reasons) == 1:
            raise reasons[0]
        raise PlatformError(
            f"none of the platforms {', '.join(f'`{name}`' for name in names)} can be started: "
            + "; ".join(str(reason) for reason in reasons),
            fix="add `cpu` to the end of TREADLE_PLATFORMS",
        )

    def _start(self, platform: str) -> Backend:
        backend = self._started.get(platform)
        if backend is not None:
            return backend
        if platform in self._failed:
            raise self._failed[platform].with_traceback(None)
        try:
            backend = self._make(platform)
        except PlatformError as error:
            self._failed[platform] = error
            raise
        if not self._started and sys.platform != "win32":
            os.register_at_fork(after_in_child=self._after_fork)
        self._started[platform] = backend
        return backend

    def _make(self, platform: str) -> Backend:
        makers: dict[str, Callable[[], Backend]] = {
            "cpu": self._make_cpu,
            "cuda": self._make_cuda,
            "tpu": self._make_tpu,
        }
        maker = makers.get(platform)
        if maker is None:
            raise PlatformError(
                f"platform `{platform}` is not known", fix="use `cpu`, `cuda`, `gpu` or `tpu`"
            )
        return maker()

    def _make_cpu(self) -> Backend:
        count = self._cpu_devices or cpu_device_count(self._environ)
        asynchronous = self._cpu_asynchronous
        if asynchronous is None:
            asynchronous = self._environ.get("TREADLE_CPU_ASYNC", "").strip().lower() not in _OFF
        raw = jaxlib().xla_client.make_cpu_client(asynchronous=asynchronous, num_devices=count)
        return Backend(raw, "cpu", asynchronous=asynchronous)

    def _make_cuda(self) -> Backend:
        library = _library("cuda", self._environ)
        if library is None:
            raise PlatformError(
                "platform `cuda` cannot be started: its plugin is not installed",
                fix='python -m pip install "jax-cuda13-plugin[with-cuda]", in the version of jaxlib',
            )
        return Backend(_start_plugin("cuda", library), "cuda")

    def _make_tpu(self) -> Backend:
        library = _library("tpu", self._environ)
        if library is None:
            raise PlatformError(
                "platform `tpu` cannot be started: libtpu is not installed",
                fix="python -m pip install libtpu on a machine with a TPU, or set TPU_LIBRARY_PATH",
            )
        return Backend(_start_plugin("tpu", library), "tpu")

    def _after_fork(self) -> None:
        # The threads of XLA did not come along: the first call would wait for ever.
        self._lock = threading.RLock()
        self._forked = True
        for backend in self._started.values():
            backend.usable = False


backends: Final = Backends()
"""The backends of this process. XLA's clients are process-wide by nature, so this is as well."""


def _canonical(platform: str) -> str:
    name = platform.strip().lower()
    return "cuda" if name == "gpu" else name  # the only kind of GPU that has a plugin here


def _library(platform: str, environ: Mapping[str, str]) -> Path | None:
    """The shared library of a platform's plugin, found without importing any package (they import jax)."""
    if platform == "cuda":
        package, pattern = "jax_plugins", "xla_cuda*/xla_cuda_plugin.so"
    else:
        named = environ.get("TPU_LIBRARY_PATH", "").strip()
        if named:
            return Path(named)
        package, pattern = "libtpu", "libtpu.so"
    spec = importlib.util.find_spec(package)
    if spec is None:
        return None
    for folder in spec.submodule_search_locations or ():
        found = sorted(Path(folder).glob(pattern))
        if found:
            return found[-1]  # the newest CUDA, if there are several
    return None


def _start_plugin(platform: str, library: Path) -> Any:
    client = jaxlib().xla_client
    try:
        if platform == "cuda":
            _load_cuda_libraries()
        if client.pjrt_plugin_loaded(platform):
            plugin = None
        else:
            plugin = client.load_pjrt_plugin_dynamically(platform, str(library))
        if not client.pjrt_plugin_initialized(platform):
            client.initialize_pjrt_plugin(platform)
        options = client.generate_pjrt_gpu_plugin_options() if platform == "cuda" else {}
        if platform == "cuda" and plugin is not None:
            _register_cuda(plugin, library)
        return client.make_c_api_client(platform, options, None)
    except (jaxlib().core.JaxRuntimeError, ImportError, OSError, ValueError) as error:
        lines = str(error).splitlines()
        raise PlatformError(
            f"platform `{platform}` cannot be started: {lines[0] if lines else type(error).__name__}",
            fix=f"check the driver and that the plugin has the version of jaxlib {jaxlib().release}, "
            "or set TREADLE_PLATFORMS=cpu",
        ) from error


def _load_cuda_libraries() -> None:
    """Load the CUDA libraries that wheels bring, so that the plugin finds them; those missing may be the system's."""
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or ()) if spec is not None else ():
        # Libraries need one another: go round until a round loads nothing new.
        waiting = sorted(Path(root).glob("*/lib/lib*.so.*"))
        while waiting:
            failed = [path for path in waiting if not _loads(path)]
            if len(failed) == len(waiting):
                break
            waiting = failed


def _loads(path: Path) -> bool:
    try:
        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True


def _register_cuda(plugin: Any, library: Path) -> None:
    """Tell XLA the custom calls of the CUDA plugin: those of the plugin itself and jaxlib's own."""
    client = jaxlib().xla_client
    digits = "".join(filter(str.isdigit, library.parent.name))
    extension = importlib.import_module(f"jax_cuda{digits}_plugin.cuda_plugin_extension")

    def register_type(*arguments: Any, **options: Any) -> object:
        return extension.register_custom_type(plugin, *arguments, **options)

    def register_call(*arguments: Any, **options: Any) -> object:
        return extension.register_custom_call_target(plugin, *arguments, **options)

    client.register_custom_type_handler("CUDA", register_type)
    client.register_custom_call_handler("CUDA", register_call)
    for name, value in extension.ffi_types().items():
        client.register_custom_type(name, value, platform="CUDA")
    for name, value in extension.ffi_handlers().items():
        client.register_custom_call_target(name, value, platform="CUDA", api_version=1)
    for family in ("solver", "linalg", "sparse", "prng", "rnn", "triton"):
        module = importlib.import_module(f"jaxlib.gpu_{family}")
        registrations: dict[str, Any] = getattr(module, "registrations", dict)()
        for name, value, version in registrations.get("CUDA", []):
            client.register_custom_call_target(name, value, platform="CUDA", api_version=version)


def check_device(backend: Backend, device: Device) -> None:
    """Refuse a device that is not this process's own.

    Raises:
        PlacementError: the device belongs to another backend or process.
    """
    if device not in backend.local_devices:
        raise PlacementError(
            f"device {device} is not one of this process's {backend.public_platform} devices",
            fix=f"use one of {', '.join(str(one) for one in backend.local_devices)}",
        )

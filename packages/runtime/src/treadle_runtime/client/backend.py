"""One started platform: its devices, and what can be done with buffers on them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from inspect import isfunction
from typing import Any, Final, final

import numpy as np

from treadle_compiler import (
    Held,
    Refusal,
    held,
    hold_at_end,
    jaxlib,
    never_destroyed,
    refuse,
    refuse_in_children,
)
from treadle_ir import DTypeError
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_runtime.client.failures import deleted, execution_error, size_text
from treadle_runtime.client.guard import Aval, no_jax_import
from treadle_runtime.client.peers import Peers, met
from treadle_runtime.client.reading import read_uncommon

ALIGNMENT: Final = 64
"""XLA:CPU uses a NumPy buffer in place exactly when its address is a multiple of this."""

_PRECOPY_BYTES: Final = 1 << 25
"""From here on, copying into aligned memory and handing that over beats jaxlib's copy (64 MB: 6 ms, 29 ms)."""

Buffer = Any  # a jaxlib array; jaxlib has no types
Device = Any  # a jaxlib device
Handler = Any  # what turns one raw result into a buffer


@final
class Backend(Held):
    """One started platform: its devices, and what can be done with buffers on them.

    `platform` is the name that lowering knows (`cpu`, `cuda`, `tpu`); `public_platform` is what users see
    (`gpu` for `cuda`). `devices` are all devices, `local_devices` the devices of this process. `raw` is
    jaxlib's client, for `treadle_compiler` only.

    In a forked child every method raises `ForkError`, also for a buffer that has its value
    (`treadle_compiler/fork.py` says why).
    """

    __slots__ = (
        "__weakref__",
        "_put_shardings",
        "_result_shardings",
        "asynchronous",
        "devices",
        "local_devices",
        "platform",
        "public_platform",
        "raw",
    )

    def __init__(self, raw: Any, platform: str, *, asynchronous: bool = True) -> None:
        self.raw = raw
        self.platform = platform
        self.public_platform = "gpu" if platform in {"cuda", "rocm"} else platform
        self.devices: tuple[Device, ...] = tuple(raw.devices())
        self.local_devices: tuple[Device, ...] = tuple(raw.local_devices())
        self.asynchronous = asynchronous
        self._put_shardings: dict[tuple[Device, str], Any] = {}
        self._result_shardings: dict[tuple[Device, str], Any] = {}
        refuse_in_children(self)
        hold_at_end(self)

    def refuse(self) -> None:
        """Raise `ForkError` from now on, in every method: called in a forked child."""
        never_destroyed(self.raw)
        self.raw = Refusal()
        # All backends of the process refuse, so their class does. No call of a method in the parent pays for that.
        for name in _used():
            setattr(Backend, name, refuse)

    def hold(self) -> None:
        """Let only the thread that ends the process use the platform, and wait for the computations that it starts."""
        for name in _used():
            setattr(Backend, name, held(getattr(Backend, name), settles=True))

    def computes(self) -> bool:
        """Return whether an array that is alive is still being computed."""
        arrays = self.raw.live_arrays()
        return any([not array.is_deleted() and not array.is_ready() for array in arrays])

    def kept(self) -> object:
        """Return jaxlib's client, whose destructor waits for all computations."""
        return self.raw

    @property
    def runtime_type(self) -> str:
        """The interface by which jaxlib reaches the platform, as jaxlib names it."""
        return str(self.raw.runtime_type)

    @property
    def platform_version(self) -> str:
        """What the platform says of its version."""
        return str(self.raw.platform_version)

    def device_count(self) -> int:
        """Return the number of devices of all processes."""
        return len(self.devices)

    def local_device_count(self) -> int:
        """Return the number of devices of this process."""
        return len(self.local_devices)

    def process_index(self) -> int:
        """Return the number of this process."""
        return int(self.raw.process_index())

    def host_id(self) -> int:
        """Return the older name of `process_index`."""
        return self.process_index()

    def __repr__(self) -> str:
        return f"<Backend {self.platform} with {len(self.devices)} devices>"

    # ---- host to device

    def put(
        self,
        array: np.ndarray[Any, Any],
        device: Device | None = None,
        *,
        owned: bool = False,
        memory: str = DEVICE_MEMORY,
    ) -> Buffer:
        """Copy a NumPy array to a device (the first, if none is named).

        `owned` promises that the array will not be written to any more: the CPU then uses its memory in place if it is
        aligned to 64 bytes (see `aligned_empty`), and copies otherwise. `memory` is the kind of the device's memory.

        Raises:
            DTypeError: the array's dtype has no counterpart on devices.
        """
        target = self.local_devices[0] if device is None else device
        client = jaxlib().xla_client
        if not owned and (array.nbytes >= _PRECOPY_BYTES or not array.flags.c_contiguous):
            copy = aligned_empty(array.shape, array.dtype)
            np.copyto(copy, array)
            array, owned = copy, True
        try:
            return client.batched_device_put(
                Aval(array.shape, array.dtype),
                self.sharding(target, memory),
                [array],
                [target],
                True,  # committed: our own arrays know better
                force_copy=not owned,
                enable_x64=True,  # dtypes are decided above; never narrow here
            )
        except (TypeError, ValueError, jaxlib().core.JaxRuntimeError) as error:
            raise _not_put(array.dtype, error) from error

    def put_parts(
        self,
        parts: Sequence[np.ndarray[Any, Any]],
        devices: Sequence[Device],
        shape: Sequence[int],
        sharding: Any,  # a jaxlib GSPMDSharding over the devices of all processes
        *,
        owned: bool = False,
    ) -> Buffer:
        """Copy a part to each device of this process: one buffer of a (whole) shape; `owned` as of `put`.

        Raises:
            DTypeError: the parts' dtype has no counterpart on devices.
        """
        dtype = parts[0].dtype
        try:
            return jaxlib().xla_client.batched_device_put(
                Aval(shape, dtype),
                sharding,
                parts,
                devices,
                True,
                force_copy=not owned,
                enable_x64=True,
            )
        except (TypeError, ValueError, jaxlib().core.JaxRuntimeError) as error:
            raise _not_put(dtype, error) from error

    def putting(
        self, shape: Sequence[int], dtype: np.dtype[Any], device: Device
    ) -> Callable[[np.ndarray[Any, Any] | float], Buffer]:
        """Return a function that copies NumPy arrays of one shape and dtype to a device: `put`, specialised for them.

        It also takes Python numbers within their `number_range`.
        """
        library, aval = jaxlib(), Aval(shape, dtype)
        sharding, devices = self.sharding(device), [device]
        # It says how wide Python numbers become. NumPy arrays of up to 32 bits are narrowed by neither.
        wide = dtype.itemsize >= 8

        def put_elements(elements: np.ndarray[Any, Any] | float) -> Buffer:
            # looked up each time: a forked child refuses
            put = library.xla_client.batched_device_put
            return put(aval, sharding, [elements], devices, True, True, enable_x64=wide)

        return put_elements

    def joined(
        self,
        buffers: Sequence[Buffer],
        shape: Sequence[int],
        dtype: np.dtype[Any],
        sharding: Any,  # a jaxlib GSPMDSharding over the devices of all processes
    ) -> Buffer:
        """Return one buffer of a (whole) shape made of one on each device of this process, without a copy."""
        return jaxlib().core.ArrayImpl(
            Aval(shape, dtype), sharding, list(buffers), committed=True, _skip_checks=True
        )

    def adopt(
        self,
        buffer: Buffer,
        source: Backend,
        device: Device | None = None,
        memory: str = DEVICE_MEMORY,
    ) -> Buffer:
        """Bring a buffer of another backend here; from CPU to CPU without a copy."""
        return self.put(source.read(buffer), device, owned=True, memory=memory)

    # ---- results

    def handler(
        self, shape: Sequence[int], dtype: object, sharding: Any, committed: bool = False
    ) -> Handler:
        """Return a function that turns one raw result into a buffer; `shape` is the global shape of a sharded one."""
        core = jaxlib().core
        # Releases up to 0.10 would otherwise call a hook that is not installed.
        extra = (
            {"_skip_checks": True}
            if "_skip_checks" in (core.array_result_handler.__doc__ or "")
            else {}
        )
        return core.array_result_handler(Aval(shape, dtype), sharding, committed, **extra)

    def handlers(
        self,
        results: Iterable[tuple[Sequence[int], object, Any]],  # Any: jaxlib's sharding
    ) -> list[Handler]:
        """Return the result handlers of a program, from the global shape, element type and sharding of each result.

        They should be made once and stored with the program. They are not verified: XLA does not compare them with its
        results.
        """
        made: dict[tuple[tuple[int, ...], object, int], Handler] = {}
        handlers = []
        for shape, dtype, sharding in results:
            key = (tuple(shape), np.dtype(dtype), id(sharding))  # type: ignore[call-overload]  # any dtype
            if key not in made:
                made[key] = self.handler(shape, dtype, sharding)
            handlers.append(made[key])
        return handlers

    def result_sharding(self, device: Device, memory: str = DEVICE_MEMORY) -> Any:
        """Return the jaxlib sharding of a result on one device."""
        found = self._result_shardings.get((device, memory))
        if found is None:
            found = jaxlib().xla_client.SingleDeviceSharding(device, memory_kind=raw_kind(memory))
            self._result_shardings[device, memory] = found
        return found

    def sharding(self, device: Device, memory: str = DEVICE_MEMORY) -> Any:
        """Return the jaxlib sharding of a buffer on one device, in the form that every release's put accepts."""
        found = self._put_shardings.get((device, memory))
        if found is None:
            client = jaxlib().xla_client
            whole = client.HloSharding.replicate()
            devices = client.DeviceList((device,))
            found = client.GSPMDSharding(devices, whole, memory_kind=raw_kind(memory))
            self._put_shardings[device, memory] = found
        return found

    # ---- device to host

    def read(self, buffer: Buffer) -> np.ndarray[Any, Any]:
        """Return the value of a buffer, read-only, waiting for it; without a copy where that is possible.

        Raises:
            DonatedError: the buffer has been deleted or donated.
            ExecutionError: the computation of the value failed.
        """
        # Checked first: the calls that return the elements wait without noticing Ctrl-C or the end of other processes.
        if buffer.is_deleted():
            raise deleted()
        if not buffer.is_ready():
            self.block(buffer)
        try:
            return np.asarray(memoryview(buffer))
        except BufferError:
            pass
        # a failed computation reports its error here; the buffer protocol only reports that there is no buffer
        self.block(buffer)
        return read_uncommon(buffer)

    def shards(self, buffer: Buffer) -> list[Buffer]:
        """Return the parts of a sharded buffer, one for each local device, in the sharding's order of devices.

        Raises:
            DonatedError: the buffer has been deleted or donated.
        """
        if buffer.is_deleted():
            raise deleted()
        with no_jax_import():
            return list(buffer._arrays)

    # ---- state of a buffer

    def is_ready(self, buffer: Buffer) -> bool:
        """Return whether the value has been computed. A failed computation counts as ready.

        Raises:
            DonatedError: the buffer has been deleted or donated.
        """
        if buffer.is_deleted():  # 0.10.2 dies of asking a deleted array whether it is ready
            raise deleted()
        return bool(buffer.is_ready())

    def block(self, buffer: Buffer) -> None:
        """Wait for the value.

        Raises:
            DonatedError: the buffer has been deleted or donated.
            ExecutionError: its computation failed.
        """
        if met and met[0].count > 1:
            _watch([buffer], met[0])
        try:
            buffer.block_until_ready()
        except jaxlib().core.JaxRuntimeError as error:
            if buffer.is_deleted():
                raise deleted() from error
            raise execution_error(error) from error

    def is_deleted(self, buffer: Buffer) -> bool:
        """Return whether the buffer has been deleted or donated."""
        return bool(buffer.is_deleted())

    def delete(self, buffer: Buffer) -> None:
        """Give the memory back now."""
        buffer.delete()

    def copy_to_device(self, buffer: Buffer, device: Device, memory: str = DEVICE_MEMORY) -> Buffer:
        """Return a copy in a memory of a device of this backend, also if it is there already; does not wait.

        Raises:
            DonatedError: the buffer has been deleted or donated.
        """
        if buffer.is_deleted():
            raise deleted()
        client, core = jaxlib().xla_client, jaxlib().core
        try:
            (copy,) = core.batched_copy_array_to_devices_with_sharding(
                [buffer],
                [client.DeviceList((device,))],
                [self.sharding(device, memory)],
                [client.ArrayCopySemantics.ALWAYS_COPY],
            )
        except core.JaxRuntimeError as error:
            raise execution_error(error) from error
        return copy

    def same(
        self,
        buffer: Buffer,
        devices: Sequence[Device],
        sharding: Any,  # a jaxlib GSPMDSharding over the devices of all processes
        memory: str = DEVICE_MEMORY,
    ) -> Buffer:
        """Return a copy of a buffer over several devices, of which these are this process's, part by part.

        jaxlib's own `clone` shares the memory so that deleting one deletes the other.
        """
        parts = [
            self.copy_to_device(part, device, memory)
            for part, device in zip(self.shards(buffer), devices, strict=True)
        ]
        return self.joined(parts, buffer.aval.shape, buffer.aval.dtype, sharding)

    def pointer(self, buffer: Buffer) -> int:
        """Return the address of the buffer's memory; waits for the value on the CPU.

        Raises:
            DonatedError: the buffer has been deleted or donated.
        """
        if buffer.is_deleted():
            raise deleted()
        if not buffer.is_ready():
            self.block(buffer)
        try:
            return int(np.asarray(memoryview(buffer)).ctypes.data)
        except BufferError:
            with no_jax_import():
                return int(buffer.unsafe_buffer_pointer())

    def size(self, buffer: Buffer) -> int:
        """Return the number of bytes of a buffer on its device.

        Raises:
            DonatedError: the buffer has been deleted or donated.
        """
        if buffer.is_deleted():
            raise deleted()
        return int(buffer.on_device_size_in_bytes())

    def memory_stats(self, device: Device) -> dict[str, int] | None:
        """Return the statistics of a device's allocator; None if it has none, as on the CPU."""
        stats = device.memory_stats()
        return None if stats is None else {str(name): int(value) for name, value in stats.items()}


_LIFE: Final = frozenset({"refuse", "hold", "computes", "kept"})


def _used() -> list[str]:
    """Return the names of the methods that use the platform."""
    return [
        name
        for name, member in vars(Backend).items()
        if isfunction(member) and not name.startswith("_") and name not in _LIFE
    ]


def _not_put(dtype: np.dtype[Any], error: Exception) -> Exception:
    if dtype.kind in "OSUMm" or "dtype" in str(error).lower():
        return DTypeError(
            f"arrays of dtype {dtype} cannot be put on a device",
            fix="convert it to a number type first, such as float32",
        )
    return execution_error(error)


def raw_kind(memory: str) -> str | None:
    """Return jaxlib's name of a kind of memory; None stands for the memory in which devices compute."""
    return None if memory == DEVICE_MEMORY else memory


def number_range(kind: type, dtype: np.dtype[Any]) -> tuple[float, float]:
    """Return the least and the greatest Python number of this class that `putting` takes; `(1, 0)` if it takes none.

    Within this range jaxlib converts numbers as NumPy does. Other numbers are left to NumPy, which refuses
    integers that do not fit, and warns of floats that become infinite.
    """
    if kind is bool and dtype == np.bool_:
        return False, True
    if kind is int and dtype in (np.int32, np.int64):
        limits = np.iinfo(dtype)
        return int(limits.min), int(limits.max)
    if kind is float and dtype in (np.float32, np.float64):
        largest = float(np.finfo(dtype).max)
        return -largest, largest
    return 1, 0


def aligned_empty(shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return a new array whose memory a CPU backend can use in place."""
    count = math.prod(shape) * dtype.itemsize
    try:
        memory = np.empty(count + ALIGNMENT, np.uint8)
    except (
        MemoryError,
        ValueError,
    ) as error:  # NumPy tells of the bytes, which are none of the caller's business
        raise MemoryError(
            f"Unable to allocate {size_text(count)} for an array with shape {tuple(shape)} and data type {dtype}"
        ) from error
    return np.ndarray(shape, dtype, memory, -memory.ctypes.data % ALIGNMENT)


def wait_for(buffers: list[Buffer]) -> None:
    """Wait for many values at once, of any backends.

    Raises:
        DonatedError: a buffer has been deleted or donated.
        ExecutionError: the computation of one failed.
    """
    if met and met[0].count > 1:
        _watch(buffers, met[0])
    core = jaxlib().core
    try:
        core.batched_block_until_ready(buffers)
    except core.JaxRuntimeError as error:
        if any(buffer.is_deleted() for buffer in buffers):
            raise deleted() from error
        raise execution_error(error) from error


def _watch(buffers: Sequence[Buffer], peers: Peers) -> None:
    """Wait for values that other processes may have a part in: a collective whose peer is gone may never end.

    Raises:
        ProcessFailureError: a process was lost meanwhile.
    """
    pause = 1e-5
    for buffer in buffers:
        while not buffer.is_deleted() and not buffer.is_ready():
            peers.check("waiting for a result of a program over several processes")
            time.sleep(pause)
            pause = min(2 * pause, 1e-3)  # a wait of a second is noticed a thousandth later

"""DeviceArray: an immutable array with elements on the host, on devices, or both.

The device buffer is made when compiled code first needs it; the host's elements when Python first reads them. Nothing
writes to either: a result's host buffer may be a view of an operand's, and a donated array loses both.

Four attributes hold the state, for this package alone: `type`; `placed`, the type with its placement; `host`, the
elements as a NumPy array or None; `raw`, jaxlib's array, None, or what says that the memory is gone. The functions of
this module read and change them; only the hot paths (eager evaluation, calls of compiled functions) look at the
attributes themselves.
"""

from __future__ import annotations

import gc
import operator
from collections.abc import Iterator
from typing import Any, Final, NoReturn, TypeAlias, final

import numpy as np

import treadle_compiler as compiler
from treadle_ir import (
    AbstractMesh,
    ArgumentError,
    Array,
    ArrayType,
    DTypeError,
    ShapeError,
    Sharding as TypeSharding,
)
from treadle_ir.core import MeshAxes, canonical_dtype
from treadle_ir.core.dtypes import extended_refused, is_extended, is_key, is_own_key
from treadle_ir.errors import (
    PlacementError,
    boundary,
    capture,
    element_type,
    flags,
    import_module,
    names,
    refused,
    shown,
)
from treadle_ir.events import (
    ElementsTransferred,
    MemoryDonated,
    TransferredOperand,
    emit,
    listeners,
)
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_ir.settings import current_context
from treadle_ir.tracing import no_first_axis
from treadle_runtime.arrays.deleted import Deleted, deleted_error
from treadle_runtime.arrays.held import for_device, from_device
from treadle_runtime.arrays.interchange import raise_swallowed_interrupt
from treadle_runtime.arrays.placed import Placed
from treadle_runtime.arrays.spread import gather, spread
from treadle_runtime.arrays.text import array_text, type_text
from treadle_runtime.client.exchange import CPU, CUDA, capsule_of
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.explicit import explicit_mesh_of, type_sharding, with_unsharded_rows
from treadle_runtime.placement.guards import guard
from treadle_runtime.placement.placement import BASE, PlacedType, Placement, default_placement
from treadle_runtime.placement.sharding import Sharding

Elements: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"  # Any: of any element type
Buffer: TypeAlias = Any  # a jaxlib array; jaxlib has no types


_KEEP_BOTH: Final = 1 << 16
"""Bytes up to which an array on the CPU keeps its host buffer in addition to its device buffer."""


@boundary
@final
class DeviceArray(Placed):
    """An array with elements. Make one with `from_host`, or by computing."""

    __module__ = "treadle_runtime"  # as messages and `type(x)` show it
    __slots__ = ("__weakref__", "host", "placed", "raw", "type")

    type: ArrayType
    placed: PlacedType
    host: Elements | None
    raw: Buffer

    def __init__(self, placed: PlacedType, host: Elements | None, raw: Buffer = None) -> None:
        self.placed = placed
        self.type = placed.type
        self.host = host
        self.raw = raw

    def __treadle_sharding__(self, mesh: AbstractMesh) -> TypeSharding | None:
        """Return the sharding over the explicit axes of `mesh`; None where these cannot say it."""
        return type_sharding(self.placed.placement.sharding, mesh, self.type.ndim)

    def __treadle_mesh__(self) -> MeshAxes | None:
        """Return the mesh whose explicit axes its type shows; None where there are none."""
        return explicit_mesh_of(self.placed)

    # ---- elements

    def __treadle_host__(self) -> Elements | None:
        """Return the elements if the host has them now and no device is prescribed; else None."""
        return self.host if self.placed.placement is BASE else None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Elements:
        host = self.host
        if dtype is None and copy is None and host is not None and host.dtype.names is None:
            return _read_only(host)  # most calls are like this one
        raise_swallowed_interrupt(self)
        # Random keys are converted only if the caller names their element type: evaluators do, NumPy does not.
        wanted = None if dtype is None else element_type("__array__", dtype)
        if copy is not None:
            flags("__array__", copy=copy)
        named = wanted is not None and wanted == self.type.dtype
        elements = elements_of(self) if named else readable(self)
        if wanted is not None and wanted != elements.dtype:
            if copy is False:
                raise ArgumentError(
                    f"a copy is needed to convert elements from {elements.dtype} to {wanted}"
                )
            return elements.astype(wanted)
        return elements.copy() if copy else _read_only(elements)

    def item(self, *index: Any) -> Any:
        """Return the one element as a Python scalar (or the element at `index`).

        Raises:
            ShapeError: there is not exactly one element, and no index.
        """
        elements = readable(self)
        if not index and elements.size != 1:
            raise ShapeError(
                f"can only convert an array of size 1 to a Python scalar, got {self.type}",
                fix="name the element (`x.item(0)`), reduce first (`x.sum()`), or use `x.tolist()`",
            )
        return elements.item(*index)

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python scalars."""
        return readable(self).tolist()

    def __bool__(self) -> bool:
        if self.type.size != 1:
            raise ShapeError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
                if self.type.size
                else "The truth value of an empty array is ambiguous. Use array.size > 0",
                fix="reduce the comparison with .any() or .all(), or choose by element with `where`",
            )
        return bool(readable(self))

    def __int__(self) -> int:
        return int(self._scalar("int()"))

    def __float__(self) -> float:
        return float(self._scalar("float()"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex()"))

    def __index__(self) -> int:
        # an index, though, not a mask: Python's own bools are integers too
        if self.type.dtype.kind == "b":
            raise self._no_index()
        elements = readable(self)
        try:
            return operator.index(elements)
        except TypeError:
            raise self._no_index() from None

    def _no_index(self) -> ArgumentError:
        return ArgumentError(
            f"only integer scalar arrays can be converted to a scalar index, got {self.type}",
            fix="convert with int(x) first; to take elements of an array by an array use treadle arrays on both sides",
        )

    def _scalar(self, function: str) -> Elements:
        elements = readable(self)
        if elements.ndim:
            raise ArgumentError(
                f"{function}: only arrays without axes can be converted to Python scalars, got {self.type}",
                fix="take one element (`x[0]`), reduce (`x.sum()`), or use `x.tolist()`",
            )
        return elements

    def __iter__(self) -> Iterator[Array]:
        if not self.type.shape:
            raise no_first_axis(self)
        if self.sharding.num_devices > 1:
            rows = with_unsharded_rows(self, self.placed)
            return iter([rows[number] for number in range(self.type.shape[0])])
        part = self.placed.with_shape(self.type.shape[1:])
        return iter([DeviceArray(part, np.asarray(element)) for element in elements_of(self)])

    def __reversed__(self) -> Iterator[Array]:
        return iter([*self][::-1])

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise ArgumentError(
            "treadle arrays are immutable and do not support item assignment",
            fix="instead of x[i] = y, write x = x.at[i].set(y)",
        )

    # ---- text

    def __repr__(self) -> str:
        try:
            elements = elements_of(self)
        except PlacementError:  # other processes have parts of it
            return type_text(self.type)
        return array_text(elements, self.type)

    def __str__(self) -> str:
        if is_extended(self.type.dtype):
            return repr(self)
        try:
            return str(elements_of(self))
        except PlacementError:
            return type_text(self.type)

    def __format__(self, spec: str) -> str:
        if not isinstance(spec, str):
            raise refused("format", "the format", "a string", spec)
        if is_extended(self.type.dtype):
            return format(repr(self), spec)
        elements = elements_of(self)
        try:
            return format(elements[()] if not elements.ndim else elements, spec)
        except (TypeError, ValueError) as error:
            raise ArgumentError(
                f"format: {shown(spec)} does not fit {self.type}: {error}",
                fix="format numbers: `float(x)`, or the elements of `x.tolist()`",
            ) from error

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - _INTERNAL)

    # ---- copies

    def __reduce__(self) -> tuple[Any, ...]:
        elements = elements_of(self).view()
        elements.flags.writeable = False
        dtype = self.type.dtype
        # another process has no such type of NumPy's
        if is_extended(dtype) and not is_own_key(dtype):
            return _unpickled, (for_device(elements), self.type.weak, self.type)
        return _unpickled, (elements, self.type.weak)

    def __copy__(self) -> DeviceArray:
        return duplicate(self)

    def __deepcopy__(self, memo: object) -> DeviceArray:
        return duplicate(self)

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule of the elements, without a copy if possible. Receivers must not write to it."""
        there = self.__dlpack_device__()
        if there[0] != CPU and (dl_device is None or (int(dl_device[0]), dl_device[1]) == there):
            _check_readable(self.type)
            given = duplicate(self) if copy else self
            return capsule_of(device_of(given).backend, buffer_of(given), stream)
        if dl_device is not None and (int(dl_device[0]), dl_device[1]) != (CPU, 0):
            raise BufferError(f"the elements are on device {there}, not on {tuple(dl_device)}")
        elements = readable(self)
        if copy:  # the receiver's own, which it may write to
            elements = elements.copy()
        elif max_version is not None and max_version >= (1, 0):
            elements = elements.view()
            elements.flags.writeable = False
        elif not elements.flags.writeable:
            elements = elements.copy()  # the old protocol cannot say that memory is read-only
        return import_module("treadle_ir.calling.dlpack").capsule_of(elements, max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's kind and number of the device whose memory a capsule exposes: a GPU, or else the CPU."""
        device, sharding = device_of(self), self.placed.placement.sharding
        alone = sharding.num_devices == 1 and sharding.memory_kind == DEVICE_MEMORY
        if device.backend.platform == "cuda" and alone:
            return CUDA, device.local_hardware_id or 0
        return CPU, 0

    def unsafe_buffer_pointer(self) -> int:
        """Return the address of the elements on their device."""
        device = device_of(self)
        if self.sharding.num_devices > 1:
            raise PlacementError(
                f"an array of type {self.type} over {self.sharding.num_devices} devices has no one address",
                fix="ask the data of one of x.addressable_shards for its address",
            )
        return device.backend.pointer(buffer_of(self))

    # ---- life

    def block_until_ready(self) -> DeviceArray:
        """Wait for the elements; returns the array itself."""
        device = device_of(self)
        if self.raw is not None:
            device.backend.block(self.raw)
        return self

    def is_ready(self) -> bool:
        """Return whether the elements have been computed."""
        device = device_of(self)
        return self.raw is None or device.backend.is_ready(self.raw)

    def copy_to_host_async(self) -> None:
        """Start to transfer the elements to the host; on the CPU they are there already."""
        device_of(self)

    def on_device_size_in_bytes(self) -> int:
        """Return the number of bytes of the array on all its devices together."""
        sharding = self.sharding
        part = sharding.shard_shape(self.type.shape)
        return self.type.with_shape(part).nbytes * sharding.num_devices

    def is_deleted(self) -> bool:
        """Return whether the array has been donated or deleted."""
        return type(self.raw) is Deleted

    def delete(self) -> None:
        """Free the memory now; the array cannot be used any more."""
        raw = self.raw
        if type(raw) is Deleted:
            return
        if raw is not None:
            self.placed.placement.device.backend.delete(raw)
        self.host = None
        self.raw = Deleted("deleted", capture())


DeviceArray.__name__ = "Array"  # in messages of Python's


# What tab completion need not offer: the attributes that the runtime keeps the array in.
_INTERNAL: Final = frozenset({"host", "placed", "raw"})


def device_of(array: DeviceArray) -> Device:
    """Return the device of an array that still has its memory.

    Raises:
        DonatedError: the array has been donated or deleted.
    """
    if type(array.raw) is Deleted:
        raise deleted_error(array.type, array.raw)
    return array.placed.placement.device


def _read_only(elements: Elements) -> Elements:
    """Return a view that its receiver cannot make writable.

    NumPy lets a view be made writable while an array below it is; so what has the memory is made read-only itself.
    """
    base = elements.base
    while isinstance(base, np.ndarray):
        base.setflags(write=False)
        base = base.base
    # By name, or as an attribute of `flags`, it takes twice as long.
    elements.setflags(False)  # type: ignore[call-arg]  # which NumPy's types do not know
    return elements.view()


def readable(array: DeviceArray) -> Elements:
    """Return the elements for Python and NumPy, which cannot represent random keys.

    Raises:
        DTypeError: the elements are random keys.
        DonatedError, ExecutionError: as `elements_of`.
    """
    _check_readable(array.type)
    return elements_of(array)


def _check_readable(type: ArrayType) -> None:
    if is_key(type.dtype):
        raise DTypeError(
            f"an array of random keys, {type}, cannot be converted to a NumPy array or a Python number",
            fix="take the words of the keys with `random.key_data(keys)`",
        )
    if is_extended(type.dtype):
        raise extended_refused("__array__", type.dtype)


def elements_of(array: DeviceArray, *, explicit: bool = False) -> Elements:
    """Return the elements as a NumPy array that must not be written to; waits for them.

    Raises:
        DonatedError: the array has been donated or deleted.
        ExecutionError: the computation of the array failed.
    """
    host = array.host
    if host is None:
        device = device_of(array)
        if device.platform != "cpu" and current_context().instrumented:
            guard("device-to-host", array.type, "the host", explicit=explicit)
        backend = device.backend
        dtype, sharding = array.type.dtype, array.placed.placement.sharding
        if dtype.names is not None and not is_extended(dtype):  # float0 has no data
            host = np.zeros(array.type.shape, dtype)
        elif sharding.num_devices == 1:
            host = backend.read(array.raw)
        else:
            backend.block(array.raw)
            shape = compiler.device_shape(array.type)
            host = gather(array.raw, array.type, shape, sharding)
        if is_extended(dtype):
            host = from_device(host, array.type)
        if listeners and host.nbytes:
            emit(ElementsTransferred(array.type, str(device), "host", capture()))
        array.host = host
    return host


def buffer_of(array: DeviceArray, operand: TransferredOperand | None = None) -> Buffer:
    """Return the device buffer, made now if there is none.

    Args:
        array: the array.
        operand: which operand it is, for an event.

    Raises:
        DonatedError: the array has been donated or deleted.
    """
    device = device_of(array)
    raw = array.raw
    if raw is None:
        host = array.host
        assert host is not None, "an array has a host buffer or a device buffer"
        if array.type.dtype.names is not None:
            host = for_device(host)
        sharding = array.placed.placement.sharding
        if sharding.num_devices == 1:
            # Nothing writes to the host buffers of arrays, so the device may use the same memory.
            raw = array.raw = device.backend.put(
                host, device.raw, owned=True, memory=sharding.memory_kind
            )
        else:
            raw = array.raw = spread(host, sharding)
        if listeners:
            emit(ElementsTransferred(array.type, "host", str(device), capture(), operand))
        if host.nbytes > _KEEP_BOTH and device.platform == "cpu":
            array.host = None  # one copy is enough: the host reads the device's memory
    return raw


def buffer_at(
    array: DeviceArray,
    placement: Placement,
    *,
    explicit: bool = False,
    operand: TransferredOperand | None = None,
) -> Buffer:
    """Return the array's buffer, transferred to the devices of `placement` if it is elsewhere; `array` stays unchanged.

    A buffer that is on these devices already keeps its sharding: programs are compiled for it. `operand` is for events.
    """
    here, there = array.placed.placement.sharding, placement.sharding
    if here is there or here.devices == there.devices:
        return buffer_of(array, operand)
    return moved_to(array, there, explicit=explicit, operand=operand)


def moved_to(
    array: DeviceArray,
    there: Sharding,
    *,
    explicit: bool = False,
    operand: TransferredOperand | None = None,
) -> Buffer:
    """Return the array's buffer, transferred to other devices or to another of their memories."""
    here, target, memory = array.placed.placement.sharding, there.devices[0], there.memory_kind
    home = device_of(array)
    if current_context().instrumented:
        guard("device-to-device", array.type, target, explicit=explicit)
    if listeners:
        emit(ElementsTransferred(array.type, str(home), str(target), capture(), operand))
    if here.num_devices > 1 or there.num_devices > 1:
        host = elements_of(array)
        host = host if host.dtype.names is None else for_device(host)
        if there.num_devices > 1:
            return spread(host, there)
        return target.backend.put(host, target.raw, owned=True, memory=memory)
    if array.host is not None:
        host = array.host if array.type.dtype.names is None else for_device(array.host)
        return target.backend.put(host, target.raw, owned=True, memory=memory)
    if home.backend is target.backend:
        return target.backend.copy_to_device(buffer_of(array), target.raw, memory)
    return target.backend.adopt(buffer_of(array), home.backend, target.raw, memory)


def give_away(array: DeviceArray, gone: Deleted) -> None:
    """Forget the elements: the results of a call have the memory now. `gone` is for the error of a later use."""
    if listeners:
        emit(MemoryDonated(gone.how.removeprefix("donated to "), array.type, gone.source))
    array.host = None
    array.raw = gone


def forget_host(array: DeviceArray) -> None:
    """Drop the host's view of the device's memory, which XLA would otherwise not give away."""
    if array.raw is not None:
        array.host = None


def duplicate(array: DeviceArray) -> DeviceArray:
    """Return another array with the same elements, in the same memory; each can be deleted or donated by itself."""
    return DeviceArray(array.placed, elements_of(array))


def from_host(
    elements: Elements, *, weak: bool = False, placement: Placement | None = None
) -> DeviceArray:
    """Return an array that wraps a NumPy array, which must not be written to any more.

    The array is uncommitted on the default device unless `placement` is given. Its element type is that array's:
    callers narrow it if they have to.
    """
    where = default_placement() if placement is None else placement
    return DeviceArray(where.of(ArrayType(elements.shape, elements.dtype, weak)), elements)


def _unpickled(elements: Elements, weak: bool, extended: ArrayType | None = None) -> DeviceArray:
    if extended is not None:
        return from_host(from_device(elements, extended))
    dtype = elements.dtype
    return from_host(elements.astype(canonical_dtype(dtype), copy=False), weak=weak)


def live_arrays(platform: str | None = None) -> list[DeviceArray]:
    """Return the arrays that are alive and have not been deleted, on the devices of a platform; without one, on all.

    They are looked for among all objects of the process, which takes some milliseconds or more.

    Example:
        >>> import numpy as np
        >>> from treadle_runtime import device_put
        >>> x = device_put(np.ones(3))
        >>> any(y is x for y in live_arrays())
        True
    """
    names("live_arrays", platform=platform)
    return [
        each
        for each in gc.get_objects()
        if type(each) is DeviceArray
        and type(each.raw) is not Deleted
        and platform in (None, each.placed.placement.device.platform)
    ]

"""Arrays with elements: a host buffer, a device buffer, or both; each is made when somebody needs it.

Four slots, because one is made for each eager operation and each result of a compiled call:

* `type`, the array's type;
* `_key`, what the caches of the evaluator and of jit compare: the type itself for an array that nobody has put
  anywhere, else the pair of type and placement;
* `_host`, a NumPy array that nobody writes to, or None;
* `_buffer`, a device buffer, None, or a `Gone` that says why there is none any more.

Elements never change. NumPy arrays made here are handed out as read-only views only.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn, TypeAlias, final

import numpy as np

from treadle_ir import (
    NOWHERE,
    ArgumentError,
    Array,
    ArrayType,
    DonatedError,
    Source,
    TreadleError,
    canonical_dtype,
    capture,
)
from treadle_runtime.devices import Device, Placement, base_device, current_default
from treadle_runtime.sharding import Shard, SingleDeviceSharding

Elements: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Key: TypeAlias = ArrayType | tuple[ArrayType, Placement]
Buffer: TypeAlias = Any  # a jaxlib array; jaxlib has no types


_KEEP_BOTH = 1 << 16
"""Bytes up to which an array on the CPU keeps its host buffer beside its device buffer."""


@final
class Gone:
    """Stands in the place of a buffer that was donated or deleted, and says where that happened."""

    __slots__ = ("how", "source")

    def __init__(self, how: str, source: Source = NOWHERE) -> None:
        self.how = how
        self.source = source  # where in the user's code; looked up when somebody asks


class SizeError(TreadleError, ValueError):
    """One element was asked of an array that has more, or none."""


@final
class DeviceArray(Array):
    """An array with elements. Make one with `from_host`, or by computing."""

    __slots__ = ("__weakref__", "_buffer", "_host", "_key", "type")

    type: ArrayType
    _key: Key
    _host: Elements | None
    _buffer: Buffer

    def __init__(
        self, type: ArrayType, key: Key, host: Elements | None, buffer: Buffer = None
    ) -> None:
        self.type = type
        self._key = key
        self._host = host
        self._buffer = buffer

    # ---- elements

    def held(self) -> Elements | None:
        """The elements if the host has them now and no device is prescribed."""
        return self._host if self._key is self.type else None

    def elements(self) -> Elements:
        """The elements as a NumPy array that must not be written to; waits for them.

        Raises:
            DonatedError: the array has been donated or deleted.
        """
        host = self._host
        if host is None:
            backend = self.present().backend
            if self.type.dtype.names is None:
                host = backend.read(self._buffer)
            else:  # float0 has no data; on devices it is made of booleans
                host = np.zeros(self.type.shape, self.type.dtype)
            self._host = host
        return host

    def present(self) -> Device:
        """The device it is on.

        Raises:
            DonatedError: the array has been donated or deleted.
        """
        buffer = self._buffer
        if type(buffer) is Gone:
            raise gone(self, buffer)
        return self.device

    def buffer(self) -> Buffer:
        """The device buffer, made now if there is none.

        Raises:
            DonatedError: the array has been donated or deleted.
        """
        device = self.present()
        buffer = self._buffer
        if buffer is None:
            host = self._host
            assert host is not None, "an array has a host buffer or a device buffer"
            if self.type.dtype.names is not None:
                host = np.zeros(self.type.shape, np.bool_)
            # Nobody writes to our host buffers, so the device may use the same memory.
            buffer = self._buffer = device.backend.put(host, device.raw, owned=True)
            if host.nbytes > _KEEP_BOTH and device.platform == "cpu":
                self._host = None  # one copy is enough: the host reads the device's memory
        return buffer

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Elements:
        elements = self.elements()
        if dtype is not None and np.dtype(dtype) != elements.dtype:
            if copy is False:
                raise ValueError(
                    f"a copy is needed to convert elements from {elements.dtype} to {np.dtype(dtype)}"
                )
            return elements.astype(dtype)
        if copy:
            return elements.copy()
        view = elements.view()
        view.flags.writeable = False
        return view

    def item(self, *index: Any) -> Any:
        """The one element as a Python scalar (or the element at `index`).

        Raises:
            SizeError: there is not exactly one element, and no index.
        """
        elements = self.elements()
        if not index and elements.size != 1:
            raise SizeError(
                f"can only convert an array of size 1 to a Python scalar, got {self.type}",
                fix="name the element (`x.item(0)`), reduce first (`x.sum()`), or use `x.tolist()`",
            )
        return elements.item(*index)

    def tolist(self) -> Any:
        """The elements as nested lists of Python scalars."""
        return self.elements().tolist()

    def __bool__(self) -> bool:
        if self.type.size != 1:
            raise SizeError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
                if self.type.size
                else "The truth value of an empty array is ambiguous. Use array.size > 0",
                fix="reduce the comparison with .any() or .all(), or choose by element with `where`",
            )
        return bool(self.elements())

    def __int__(self) -> int:
        return int(self._scalar("int()"))

    def __float__(self) -> float:
        return float(self._scalar("float()"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex()"))

    def __index__(self) -> int:
        if (
            self.type.dtype.kind == "b"
        ):  # an index, though, not a mask: Python's own bools are integers too
            raise self._no_index()
        elements = self.elements()
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
        elements = self.elements()
        if elements.ndim:
            raise ArgumentError(
                f"{function}: only arrays without axes can be converted to Python scalars, got {self.type}",
                fix="take one element (`x[0]`), reduce (`x.sum()`), or use `x.tolist()`",
            )
        return elements

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._scalar("round()").item(), digits)

    def __iter__(self) -> Iterator[Array]:
        if not self.type.shape:
            raise ArgumentError(
                "iteration over an array without axes",
                fix="`for` goes over the first axis; use the scalar itself",
            )
        type, key = self.type.with_shape(self.type.shape[1:]), self._key
        part: Key = type if key is self.type else (type, key[1])  # type: ignore[index]
        return iter([DeviceArray(type, part, np.asarray(row)) for row in self.elements()])

    def __reversed__(self) -> Iterator[Array]:
        return iter([*self][::-1])

    def __contains__(self, value: object) -> bool:
        return bool(np.asarray(value) in self.elements())

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise ArgumentError(
            "treadle arrays are immutable and do not support item assignment",
            fix="instead of x[i] = y, write x = x.at[i].set(y)",
        )

    # ---- text

    def __repr__(self) -> str:
        elements = self.elements()
        tail = (
            f"dtype={_dtype_text(self.type.dtype)}{', weak_type=True' if self.type.weak else ''})"
        )
        if not elements.size and elements.shape != (0,):
            return f"Array([], shape={elements.shape}, {tail}"
        width: int = np.get_printoptions()["linewidth"]
        body = np.array2string(elements, separator=", ", prefix="Array(", suffix=",")
        last = body.rpartition("\n")[2]
        start = len("Array(") if last is body else 0
        if start + len(last) + len(tail) + 2 > width:
            return f"Array({body},\n{' ' * len('Array(')}{tail}"
        return f"Array({body}, {tail}"

    def __str__(self) -> str:
        return str(self.elements())

    def __format__(self, spec: str) -> str:
        elements = self.elements()
        return format(elements[()] if not elements.ndim else elements, spec)

    # ---- copies

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (np.asarray(self), self.type.weak)

    def __copy__(self) -> DeviceArray:
        return self._duplicate()

    def __deepcopy__(self, memo: object) -> DeviceArray:
        return self._duplicate()

    def _duplicate(self) -> DeviceArray:
        """Another array with the same elements; they share memory, and yet each can be deleted or donated."""
        return DeviceArray(self.type, self._key, self.elements())

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of the elements, without a copy if possible. Receivers must not write to it."""
        elements = self.elements()
        if not elements.flags.writeable and (max_version is None or max_version < (1, 0)):
            elements = elements.copy()  # the old protocol cannot say that memory is read-only
        return elements.__dlpack__(max_version=max_version, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def unsafe_buffer_pointer(self) -> int:
        """The address of the elements on their device."""
        device = self.present()
        return device.backend.pointer(self.buffer())

    # ---- placement

    @property
    def placement(self) -> Placement | None:
        """Where it is, if not uncommitted on the base device."""
        key = self._key
        return None if key is self.type else key[1]  # type: ignore[index]

    @property
    def device(self) -> Device:
        """The device it is on."""
        placement = self.placement
        return base_device() if placement is None else placement.device

    @property
    def committed(self) -> bool:
        """Whether somebody put it there, so that it decides where work happens."""
        placement = self.placement
        return placement is not None and placement.committed

    def devices(self) -> set[Device]:
        """The devices it is on: one."""
        return {self.device}

    @property
    def sharding(self) -> SingleDeviceSharding:
        """How it is laid over devices: whole, on one."""
        return SingleDeviceSharding(self.device)

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process reaches all of it: it does."""
        return True

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each of its devices has all of it: it has."""
        return True

    def addressable_data(self, index: int) -> DeviceArray:
        """The part on the device with this number among its own."""
        return self.addressable_shards[index].data

    @property
    def addressable_shards(self) -> list[Shard]:
        """Its parts on the devices of this process."""
        return [Shard(self.device, self, (slice(None),) * self.type.ndim)]

    @property
    def global_shards(self) -> list[Shard]:
        """Its parts on all devices."""
        return self.addressable_shards

    @property
    def device_buffer(self) -> DeviceBuffer:
        """The older spelling of `addressable_data(0)`; deprecated."""
        warnings.warn(
            "`device_buffer` is deprecated, use `addressable_data(0)`, or `device` for the device",
            DeprecationWarning,
            stacklevel=2,
        )
        return DeviceBuffer(self)

    # ---- life

    def block_until_ready(self) -> DeviceArray:
        """Wait for the elements; returns the array itself."""
        device = self.present()
        if self._buffer is not None:
            device.backend.block(self._buffer)
        return self

    def is_ready(self) -> bool:
        """Whether the elements are there."""
        device = self.present()
        return self._buffer is None or device.backend.is_ready(self._buffer)

    def copy_to_host_async(self) -> None:
        """Start to bring the elements to the host; on the CPU they are there."""
        self.present()

    def on_device_size_in_bytes(self) -> int:
        """The bytes that it takes on its device."""
        return self.type.nbytes

    def is_deleted(self) -> bool:
        """Whether it has been donated or deleted."""
        return type(self._buffer) is Gone

    def delete(self) -> None:
        """Give the memory back now; the array cannot be used any more."""
        buffer = self._buffer
        if type(buffer) is Gone:
            return
        if buffer is not None:
            self.device.backend.delete(buffer)
        self.vanish("deleted")

    def vanish(self, how: str, source: Source | None = None) -> None:
        """Forget the elements: somebody else has the memory now."""
        self._host = None
        self._buffer = Gone(how, capture() if source is None else source)


def gone(array: DeviceArray, why: Gone) -> DonatedError:
    """The error for the use of an array that has been donated or deleted."""
    shape = ",".join(map(str, array.type.shape))
    error = DonatedError(
        "Invalid argument: CopyToHostAsync() called on invalid buffer. "
        f"Array has been deleted with shape={array.type.dtype.name}[{shape}].",
        fix="use the result of the call that it was donated to, or do not donate it",
    )
    place = why.source.show()
    error.add_note(f"  it was {why.how}{', at ' + place if place else ''}")
    return error


def _dtype_text(dtype: np.dtype[Any]) -> str:
    return dtype.name if dtype.names is None else "float0"


@final
class DeviceBuffer:
    """What `x.device_buffer` was: a thin view whose `device()` prints as `platform:id`."""

    __slots__ = ("_array",)

    def __init__(self, array: DeviceArray) -> None:
        self._array = array

    def device(self) -> Device:
        """The device."""
        return self._array.device

    def __repr__(self) -> str:
        return repr(self._array)


def from_host(
    elements: Elements, *, weak: bool = False, placement: Placement | None = None
) -> DeviceArray:
    """An array around a NumPy array that nobody will write to any more; uncommitted on the default device.

    The element type is kept as it is: narrowing is the caller's business.
    """
    type = ArrayType(elements.shape, elements.dtype, weak)
    if placement is None:
        placement = current_default()
    return DeviceArray(type, type if placement is None else (type, placement), elements)


def _unpickled(elements: Elements, weak: bool) -> DeviceArray:
    dtype = elements.dtype
    return from_host(elements.astype(canonical_dtype(dtype), copy=False), weak=weak)

"""Arrays over several devices from their parts: from single arrays, from a function, from what each process has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treadle_compiler import device_shape
from treadle_ir import ArgumentError, ArrayType, ShapeError
from treadle_ir.calling import as_operand
from treadle_ir.core import canonical_dtype
from treadle_ir.errors import ShardingError, element_type, functions, integers, refused, sequence
from treadle_runtime.arrays.array import DeviceArray, buffer_of
from treadle_runtime.arrays.from_user import as_argument
from treadle_runtime.placement.format import Format, sharding_of_format
from treadle_runtime.placement.placement import placement_of
from treadle_runtime.placement.sharding import Index, Sharding, SingleDeviceSharding
from treadle_runtime.transfer.device_put import device_put


def make_array_from_single_device_arrays(
    shape: Sequence[int], sharding: Sharding, arrays: Sequence[Any], *, dtype: Any = None
) -> DeviceArray:
    """Return an array over devices, assembled from the shards that are on these devices; nothing is copied.

    Args:
        shape: the global shape of the array.
        sharding: the sharding of the array over the devices.
        arrays: one array for each device of this process, of the shape of a shard, in any order.
        dtype: the element type, for a process without any of the devices.

    Raises:
        ShardingError: the shards do not fit the sharding.
        ArgumentError: an argument is of another kind.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import SingleDeviceSharding
        >>> here = SingleDeviceSharding(treadle.devices()[0])
        >>> part = treadle.device_put(tnp.ones(2), here)
        >>> treadle.make_array_from_single_device_arrays((2,), here, [part])
        Array([1., 1.], dtype=float32)
    """
    name = "make_array_from_single_device_arrays"
    whole = integers(name, "shape", shape)
    _checked(name, sharding)
    parts = sequence(name, "arrays", arrays)
    for part in parts:
        if type(part) is not DeviceArray or part.sharding.num_devices != 1:
            raise refused(name, "each of arrays", "an array on one device", part)
    by_device = {part.device: part for part in parts}
    local = sharding.local_devices
    if {*by_device} != {*local} or len(parts) != len(local):
        raise ShardingError(
            f"{name}: there have to be parts on the devices {[d.id for d in local]}, one on each, "
            f"but they are on {[part.device.id for part in parts]}",
            fix="put each part on its device with device_put(part, device)",
        )
    wanted = sharding.shard_shape(whole)
    types = {part.type.dtype for part in parts}
    if len(types) > 1:
        raise ArgumentError(
            f"{name}: the parts have different element types, {sorted(map(str, types))}"
        )
    for part in parts:
        if part.sharding.memory_kind != sharding.memory_kind:
            raise ShardingError(
                f"{name}: a part is in the memory {part.sharding.memory_kind!r} of {part.device}, but {sharding} "
                f"is in {sharding.memory_kind!r}",
                fix="put each part there with device_put(part, SingleDeviceSharding(device, memory_kind=...))",
            )
        if part.type.shape != wanted:
            raise ShardingError(
                f"{name}: a part has shape {part.type.shape}, but {sharding} divides an array of shape {whole} "
                f"into parts of shape {wanted}"
            )
    if not parts and dtype is None:
        raise ArgumentError(
            f"{name}: without a part here, the element type has to be given", fix="give `dtype`"
        )
    element = parts[0].type.dtype if parts else canonical_dtype(element_type(name, dtype))
    placed = placement_of(sharding, committed=True).of(ArrayType(whole, element))
    if sharding.num_devices == 1:
        return DeviceArray(placed, parts[0].host, parts[0].raw)
    buffers = [buffer_of(by_device[device]) for device in local]
    held = buffers[0].aval.dtype if buffers else element
    backend = sharding.devices[0].backend
    shape = device_shape(placed.type)
    return DeviceArray(placed, None, backend.joined(buffers, shape, held, sharding.raw(len(shape))))


def make_array_from_callback(
    shape: Sequence[int],
    sharding: Sharding | Format,
    data_callback: Callable[[Index], Any],
    dtype: Any = None,
) -> DeviceArray:
    """Return an array over devices whose shards a function returns: it is called for the shards of this process only.

    Args:
        shape: the global shape of the array.
        sharding: the sharding of the array over the devices.
        data_callback: from a shard's index, a tuple of slices, to its elements; called once for each distinct index.
        dtype: the element type that the shards must have.

    Raises:
        ShardingError: an array of this shape cannot be sharded like this.
        ShapeError: a shard that the function returns has another shape.

    Example:
        >>> import numpy as np, treadle
        >>> from treadle.sharding import NamedSharding, PartitionSpec as P
        >>> sharding = NamedSharding(treadle.make_mesh((1,), ("x",)), P("x"))
        >>> treadle.make_array_from_callback((3,), sharding, lambda part: np.arange(3.0)[part])
        Array([0., 1., 2.], dtype=float32)
    """
    name = "make_array_from_callback"
    whole = integers(name, "shape", shape)
    functions(name, data_callback=data_callback)
    over = _checked(
        name,
        sharding_of_format(name, sharding, len(whole))
        if isinstance(sharding, Format)
        else sharding,
    )
    wanted = over.shard_shape(whole)
    if any(over.terms()):
        raise ShardingError(
            f"{name}: an array that is sharded as {over} is a sum, of which devices have terms and not parts",
            fix="make it over P(...) first, then reshard it: `reshard(x, P(..., unreduced={...}))`",
        )
    made: dict[tuple[Any, ...], Any] = {}
    parts = []
    for device, index in zip(over.devices, over.parts(whole), strict=True):
        if device not in over.addressable_devices:
            continue
        key = tuple([(each.start, each.stop) for each in index])
        if key not in made:
            made[key] = as_argument(data_callback(index))
            if dtype is not None and made[key].type.dtype != canonical_dtype(
                element_type(name, dtype)
            ):
                raise ArgumentError(
                    f"{name}: the part {index} has element type {made[key].type.dtype}, "
                    f"but {element_type(name, dtype)} was asked for"
                )
        part = made[key]
        if part.type.shape != wanted:
            raise ShapeError(
                f"{name}: the part {index} has shape {part.type.shape}, but it has to be {wanted}",
                fix="return the elements of the part that the function is asked for: `data[index]`",
            )
        place = SingleDeviceSharding(device, memory_kind=over.memory_kind)
        parts.append(device_put(part, place))
    return make_array_from_single_device_arrays(whole, over, parts, dtype=dtype)


def make_array_from_process_local_data(
    sharding: Sharding, local_data: Any, global_shape: Sequence[int] | None = None
) -> DeviceArray:
    """Return an array over the devices of all processes, from the elements that each process has.

    Args:
        sharding: the sharding of the array over the devices.
        local_data: the elements of this process: its shards, next to each other as in the complete array.
        global_shape: the shape of the complete array. By default, the size of each axis is the size in `local_data`
            times the number of processes over which `sharding` partitions the axis.

    Raises:
        ShardingError: the elements do not fit the sharding.

    Example:
        >>> import numpy as np, treadle
        >>> from treadle.sharding import NamedSharding, PartitionSpec as P
        >>> sharding = NamedSharding(treadle.make_mesh((1,), ("x",)), P("x"))
        >>> treadle.make_array_from_process_local_data(sharding, np.arange(3.0)).shape
        (3,)
    """
    name = "make_array_from_process_local_data"
    _checked(name, sharding)
    local = np.asarray(as_operand(local_data))
    shape = None if global_shape is None else integers(name, "global_shape", global_shape)
    if shape is None:
        shape = _whole_shape(sharding, local.shape)
    starts, covered = _covered(sharding, shape)
    if local.shape not in (covered, shape):
        raise ShardingError(
            f"{name}: this process has elements of shape {local.shape}, but its parts of an array of shape {shape} "
            f"have shape {covered} together"
        )
    if local.shape == shape:
        starts = (0,) * len(shape)

    def part(index: Index) -> Any:
        own = [
            slice(
                (each.start or 0) - start,
                (size if each.stop is None else each.stop) - start,
            )
            for each, start, size in zip(index, starts, shape, strict=True)
        ]
        return local[tuple(own)]

    return make_array_from_callback(shape, sharding, part)


def _checked(name: str, sharding: object) -> Sharding:
    if not isinstance(sharding, Sharding):
        raise refused(name, "sharding", "a sharding", sharding)
    return sharding


def _covered(sharding: Sharding, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return where the shards of this process begin, and the shape that they cover together."""
    parts = [*sharding.addressable_devices_indices_map(shape).values()]
    starts = tuple([min([part[axis].start or 0 for part in parts]) for axis in range(len(shape))])
    ends = [
        max([shape[axis] if part[axis].stop is None else part[axis].stop for part in parts])
        for axis in range(len(shape))
    ]
    return starts, tuple([end - start for start, end in zip(starts, ends, strict=True)])


def _whole_shape(sharding: Sharding, local: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the complete array, if the shards of this process together have the shape `local`."""
    # What this process covers of an array with one element for each device along each axis gives the ratio.
    counts = tuple([sharding.num_devices] * len(local))
    try:
        _, covered = _covered(sharding, counts)
    except ShardingError:
        covered = counts
    return tuple([size * (n // part) for size, n, part in zip(local, counts, covered, strict=True)])

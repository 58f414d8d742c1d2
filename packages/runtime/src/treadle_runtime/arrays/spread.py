"""Arrays over several devices, to and from the host: each device's part is put and read by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import ArrayType, PlacementError
from treadle_runtime.client.backend import Buffer, aligned_empty
from treadle_runtime.placement.sharding import Sharding


def spread(elements: np.ndarray[Any, Any], sharding: Sharding, *, owned: bool = True) -> Buffer:
    """Put a host array over devices, each device of this process its own part. Any: of any element type.

    `owned` says that nobody will write to the array any more: the CPU then uses parts of it in place where it can.

    Raises:
        ShardingError: an array of this shape cannot be laid out so.
    """
    parts = sharding.parts(elements.shape)
    backend = sharding.devices[0].backend
    ours = sharding.addressable_devices
    held: dict[
        object, np.ndarray[Any, Any]
    ] = {}  # the distinct parts; devices may share one's memory
    buffers = []
    for device, part in zip(sharding.devices, parts, strict=True):
        if device not in ours:
            continue
        key = _key(part)
        if key not in held:
            held[key] = elements[part]
            if not (owned and held[key].flags.c_contiguous):
                held[key] = aligned_empty(held[key].shape, elements.dtype)
                np.copyto(held[key], elements[part])
        put = backend.put(held[key], device.raw, owned=True, memory=sharding.memory_kind)
        buffers.append(put)
    return backend.joined(buffers, elements.shape, elements.dtype, sharding.raw(elements.ndim))


def gather(
    buffer: Buffer, type: ArrayType, shape: tuple[int, ...], sharding: Sharding
) -> np.ndarray[Any, Any]:
    """Read an array over devices into one host array of the elements and the shape that devices hold; waits for it.

    Raises:
        PlacementError: parts of it are in other processes only.
    """
    parts = sharding.parts(shape)
    backend = sharding.devices[0].backend
    ours = sharding.addressable_devices
    local = [part for device, part in zip(sharding.devices, parts, strict=True) if device in ours]
    wanted = {_key(part) for part in parts}
    if not wanted <= {_key(part) for part in local}:
        raise PlacementError(
            f"an array of type {type} is spread over {len(wanted)} parts, of which this process has "
            f"{len({_key(part) for part in local})}: it cannot be read as a whole",
            fix="read x.addressable_shards, or gather it with multihost_utils.process_allgather(x)",
        )
    shards = backend.shards(buffer)
    if len(wanted) == 1:  # each device has all of it
        return backend.read(shards[0])
    result: np.ndarray[Any, Any] | None = None
    seen = set()
    for part, shard in zip(local, shards, strict=True):
        if _key(part) in seen:
            continue
        seen.add(_key(part))
        elements = backend.read(shard)
        if result is None:
            result = np.empty(shape, elements.dtype)
        result[part] = elements
    assert result is not None
    return result


def _key(part: tuple[slice, ...]) -> tuple[tuple[int | None, int | None], ...]:
    return tuple([(each.start, each.stop) for each in part])

"""Arrays over several devices, to and from the host: each device's part is put and read by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType, PlacementError
from treadle_runtime.client.backend import ALIGNMENT, Buffer, aligned_empty
from treadle_runtime.placement.sharding import Sharding

# Bytes. XLA copies parts of smaller arrays sooner than NumPy makes memory that can be used in place: 8 parts of 32
# bytes in 23 against 42 us, of 80 kB in 41 against 60, but of 500 kB in 436 against 172.
_LARGE: Final = 1 << 20
# The parts of smaller arrays have one block of memory: the allocator keeps it for the next one, where it hands blocks
# for single parts back to the system, of which each page then costs a fault (1.3 ms in the place of 0.2 for 4 MB).
_HUGE: Final = 1 << 25


def spread(elements: np.ndarray[Any, Any], sharding: Sharding, *, owned: bool = True) -> Buffer:
    """Put a host array over devices, each device of this process its own part. Any: of any element type.

    `owned` says that nobody will write to the array any more: the CPU then uses parts of it in place where it can.

    Raises:
        ShardingError: an array of this shape cannot be laid out so.
    """
    ours = sharding.addressable_devices
    parts = sharding.parts(elements.shape)
    local = [
        (device, part)
        for device, part in zip(sharding.devices, parts, strict=True)
        if device in ours
    ]
    # Devices may share one's memory. An array without axes is its part, where indexing would make a scalar of it.
    distinct = {_key(part): elements[part] if part else elements for _, part in local}
    small = 0 < elements.nbytes < _LARGE
    usable = (small or owned) and all([each.flags.c_contiguous for each in distinct.values()])
    if not usable and distinct:
        copied = (
            map(np.ascontiguousarray, distinct.values()) if small else _copies([*distinct.values()])
        )
        distinct = dict(zip(distinct, copied, strict=True))
    return sharding.devices[0].backend.put_parts(
        [distinct[_key(part)] for _, part in local],
        [device.raw for device, _ in local],
        elements.shape,
        elements.dtype,
        sharding.raw(elements.ndim),
        owned=not small,
    )


def _copies(parts: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Copies of arrays of one shape, in memory that the CPU can use in place."""
    first = parts[0]
    if first.nbytes * len(parts) >= _HUGE:
        copies = [aligned_empty(first.shape, first.dtype) for _ in parts]
    else:
        room = -(-first.nbytes // ALIGNMENT) * ALIGNMENT
        block = aligned_empty((len(parts), room), np.dtype(np.uint8))
        copies = [row[: first.nbytes].view(first.dtype).reshape(first.shape) for row in block]
    for copy, part in zip(copies, parts, strict=True):
        np.copyto(copy, part)
    return copies


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

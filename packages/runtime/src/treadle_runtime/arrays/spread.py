"""Transfers of arrays over several devices to and from the host: each shard is put and read by itself."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.errors import PlacementError
from treadle_ir.process import frozen
from treadle_runtime.client.backend import Buffer, aligned_empty
from treadle_runtime.placement.sharding import Index, Sharding

# slices cannot be hashed before Python 3.12
_Key: TypeAlias = tuple[tuple[int | None, int | None], ...]


_OWN_COPY: Final = 1 << 16
"""Bytes of a shard from which on aligned memory that the CPU's devices use in place beats a copy for each of them."""


def spread(elements: np.ndarray[Any, Any], sharding: Sharding, *, owned: bool = True) -> Buffer:
    """Put a host array on devices, the shard of each device of this process. Any: of any element type.

    `owned` promises that the array will not be written to any more: the CPU then uses shards of it in place if it can.

    Raises:
        ShardingError: an array of this shape cannot be sharded like this.
    """
    cut = _cut(sharding, elements.shape)
    backend, raw = sharding.devices[0].backend, sharding.raw(elements.ndim)
    parts = [_part(elements, index, sharding) for index in cut.distinct]
    if not parts:
        return backend.joined([], elements.shape, elements.dtype, raw)
    if 0 < parts[0].nbytes < _OWN_COPY:
        together = cut.copies and not _repeats(elements)
        if not together:
            parts = [_copied(part) for part in parts]
        given = [parts[number] for number in cut.numbers]
        return backend.put_parts(given, cut.devices, elements.shape, raw, owned=not together)
    # copied one by one: so the allocator uses memory again
    held: dict[int, np.ndarray[Any, Any]] = {}
    buffers = []
    for number, device in zip(cut.numbers, cut.devices, strict=True):
        if number not in held:
            part = parts[number]
            held[number] = part if owned and part.flags.c_contiguous else _copied(part)
        buffers.append(backend.put(held[number], device, owned=True, memory=sharding.memory_kind))
    return backend.joined(buffers, elements.shape, elements.dtype, raw)


def _part(
    elements: np.ndarray[Any, Any], index: Index | None, sharding: Sharding
) -> np.ndarray[Any, Any]:
    """Return a part of an array; None stands for a term that adds nothing to a sum."""
    if index is None:
        return np.zeros(sharding.shard_shape(elements.shape), elements.dtype)
    return elements[index]


def _repeats(elements: np.ndarray[Any, Any]) -> bool:
    """Return whether an array repeats memory, as the results of `np.broadcast_to` do: shards may be one buffer."""
    return any(
        [step == 0 < size - 1 for step, size in zip(elements.strides, elements.shape, strict=True)]
    )


def _copied(part: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    copy = aligned_empty(part.shape, part.dtype)
    np.copyto(copy, part)
    return copy


@final
@frozen
class _Cut:
    """How an array is cut for the devices of this process: the distinct shards, and which of them each device has.

    Of an unreduced array the first term is the array, and the others, for which None stands, are zero.
    """

    distinct: tuple[Index | None, ...]
    numbers: tuple[int, ...]
    devices: tuple[Any, ...]  # Any: jaxlib's devices
    copies: bool  # whether jaxlib copies several parts in one call


@lru_cache(maxsize=256)
def _cut(sharding: Sharding, shape: tuple[int, ...]) -> _Cut:
    ours, parts = sharding.addressable_devices, sharding.parts(shape)
    given = [None if term else index for index, term in zip(parts, sharding.terms(), strict=True)]
    found: dict[_Key | None, tuple[int, Index | None]] = {}
    numbers, devices = [], []
    for device, index in zip(sharding.devices, given, strict=True):
        if device in ours:
            number, _ = found.setdefault(_key(index), (len(found), index))
            numbers.append(number)
            devices.append(device.raw)
    # In jaxlib 0.10 to 0.12 it fails with `bad_function_call` where some devices, but not all, have the same part.
    different = len({_key(index) for index in given})
    distinct = tuple([index for _, index in found.values()])
    return _Cut(distinct, tuple(numbers), tuple(devices), different in (1, len(parts)))


def gather(
    buffer: Buffer, type: ArrayType, shape: tuple[int, ...], sharding: Sharding
) -> np.ndarray[Any, Any]:
    """Read an array over devices into one host array of the elements and the shape that devices hold; wait for it.

    The terms of an unreduced array are added up.

    Raises:
        PlacementError: some shards are in other processes only.
    """
    parts = [*zip(sharding.parts(shape), sharding.terms(), strict=True)]
    backend = sharding.devices[0].backend
    ours = sharding.addressable_devices
    local = [part for device, part in zip(sharding.devices, parts, strict=True) if device in ours]
    wanted = {(_key(part), term) for part, term in parts}
    here = {(_key(part), term) for part, term in local}
    if not wanted <= here:
        raise PlacementError(
            f"an array of type {type} is spread over {len(wanted)} parts, of which this process has "
            f"{len(here)}: it cannot be read as a whole",
            fix="read x.addressable_shards, or gather it with multihost_utils.process_allgather(x)",
        )
    shards = backend.shards(buffer)
    if len(wanted) == 1:  # each device has all of it
        return backend.read(shards[0])
    result: np.ndarray[Any, Any] | None = None
    read: dict[_Key | None, set[int]] = {}
    for (part, term), shard in zip(local, shards, strict=True):
        terms = read.setdefault(_key(part), set())
        if term in terms:
            continue
        elements = backend.read(shard)
        if result is None:
            result = np.empty(shape, elements.dtype)
        result[part] = result[part] + elements if terms else elements
        terms.add(term)
    assert result is not None
    return result


def _key(part: Index | None) -> _Key | None:
    return None if part is None else tuple([(each.start, each.stop) for each in part])

"""Arrays over the same devices, laid out again: the parts go from device to device, by a program that XLA makes."""

from __future__ import annotations

from functools import lru_cache

import treadle_compiler as compiler
from treadle_ir import ArrayType, Program, Value
from treadle_runtime.arrays.array import Buffer, DeviceArray, buffer_of
from treadle_runtime.launch import Launch, compile_program
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.partition import memories, partitioning, whole
from treadle_runtime.placement.placement import Placement, placement_of


def resharded(array: DeviceArray, sharding: NamedSharding) -> Buffer:
    """Return the buffer of an array laid out so over the devices that it is on."""
    launch = _launch(array.type, array.placed.placement, sharding)
    (buffer,) = launch.run([buffer_of(array)])
    return buffer


@lru_cache(maxsize=256)
def _launch(type: ArrayType, placement: Placement, sharding: NamedSharding) -> Launch:
    parameter = Value(type)
    program = Program((parameter,), (), (parameter,))
    where = whole(placement_of(sharding, committed=True))
    lowered = compiler.lower_program(
        program,
        name="reshard",
        platform=where.device.backend.platform,
        partitioning=partitioning(where, [placement.of(type)], [type], [sharding]),
        memories=memories(where, [placement.of(type)], 1, [sharding]),
    )
    return compile_program(lowered, where, wanted=[sharding])

"""The buffers of operands while events are listened to: a transfer names the operand that needed it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treadle_ir.events import TransferredOperand
from treadle_runtime.arrays.array import Buffer, DeviceArray, buffer_at
from treadle_runtime.placement.placement import Placement


def told_buffers(
    arrays: Sequence[DeviceArray],
    placement: Placement,
    name: str,
    given: Sequence[object] = (),
    function: Callable[..., Any] | None = None,
    paths: Callable[[], Sequence[str]] | None = None,
) -> list[Buffer]:
    """Return the buffers of operands, transferred to the devices of a placement as `buffer_at` does.

    Args:
        arrays: the operands.
        placement: where they are needed.
        name: the name of the function or the operation.
        given: what the user gave for each operand, if that is not the array.
        function: the user's function, if it is jitted. Any: its arguments and results.
        paths: returns the names of the operands for messages.
    """
    devices = placement.sharding.devices
    found = []
    for number, array in enumerate(arrays):
        operand = None
        if array.raw is None or array.placed.placement.sharding.devices != devices:
            mine = given[number] if given else array
            operand = TransferredOperand(name, number, mine, arrays, function, paths)
        found.append(buffer_at(array, placement, operand=operand))
    return found

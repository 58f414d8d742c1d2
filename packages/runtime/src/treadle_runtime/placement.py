"""Where work happens and where its results are: committed operands decide, else the default device.

Computations with operands committed to two devices are refused; nothing is moved behind the user's back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle_ir import PlacementError
from treadle_runtime.array import Key
from treadle_runtime.devices import Device, Placement, base_device


def resolve(
    keys: Sequence[Key], default: Placement | None, name: str, describe: Callable[[int], str]
) -> Placement | None:
    """Where the results of work on operands with these keys are; None: uncommitted on the base device.

    `describe(i)` names operand i for messages, `name` what is computed.

    Raises:
        PlacementError: two operands are committed to different devices.
    """
    chosen: Placement | None = None
    first = 0
    for index, key in enumerate(keys):
        if type(key) is tuple and key[1].committed:
            if chosen is None:
                chosen, first = key[1], index
            elif key[1] is not chosen:
                raise _conflict(name, describe(first), keys[first], describe(index), key)
    return default if chosen is None else chosen


def _conflict(name: str, first: str, one: Key, second: str, other: Key) -> PlacementError:
    sides = []
    for label, key in ((first, one), (second, other)):
        assert type(key) is tuple
        type_, placement = key
        shape = ",".join(map(str, type_.shape))
        sides.append(
            f"{label} of {name} with shape {type_.dtype.name}[{shape}] and device ids "
            f"[{placement.device.id}] on platform {placement.device.platform.upper()} ({placement.device!r})"
        )
    return PlacementError(
        f"Received incompatible devices for jitted computation. Got {sides[0]} and {sides[1]}",
        fix="move one of them with device_put(x, device), or leave one uncommitted",
    )


def device_for(placement: Placement | None) -> Device:
    """The device of a placement."""
    return base_device() if placement is None else placement.device

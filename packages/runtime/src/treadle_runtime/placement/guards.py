"""Guards of transfers: what `transfer_guard` allows, logs or refuses, by direction.

They are checked only in instrumented contexts. A transfer is explicit if it is the purpose of the function called
(`device_put`, `device_get`), and implicit if an operation or a call needed it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import numpy as np

from treadle_ir import ArrayType, type_of
from treadle_ir.errors import ExecutionError, source
from treadle_ir.events import say
from treadle_ir.settings import Context, Setting, current_context
from treadle_runtime.settings import (
    DEVICE_TO_DEVICE,
    DEVICE_TO_HOST,
    HOST_TO_DEVICE,
    TRANSFER_GUARD,
)

Direction: TypeAlias = Literal["host-to-device", "device-to-device", "device-to-host"]
_SETTINGS: Final[dict[Direction, Setting[str | None]]] = {
    "host-to-device": HOST_TO_DEVICE,
    "device-to-device": DEVICE_TO_DEVICE,
    "device-to-host": DEVICE_TO_HOST,
}
_FIXES: Final[dict[Direction, str]] = {
    "host-to-device": "put it there once, with device_put",
    "device-to-device": "put it there once, with device_put",
    "device-to-host": "bring it over once, with device_get",
}


class TransferError(ExecutionError):
    """A transfer that `transfer_guard` refuses."""


def level(context: Context, direction: Direction) -> str:
    """Return the guard's level for a direction: its own setting, or else the setting for all directions."""
    return context.get(_SETTINGS[direction]) or context.get(TRANSFER_GUARD) or "allow"


def guard(
    direction: Direction,
    type: ArrayType,
    to: object,
    *,
    explicit: bool = False,
    argument: Callable[[], str] = str,
) -> None:
    """Allow a transfer, log it, or refuse it; `argument` names the function's argument that is transferred, if any.

    Raises:
        TransferError: the transfer is refused.
    """
    guarded = level(current_context(), direction)
    if guarded == "allow" or (explicit and guarded in ("log", "disallow")):
        return
    kind = "explicit" if explicit else "implicit"
    named = argument()
    what = f"{direction} transfer of {named + ', ' if named else ''}{type} to {to}"
    if guarded.startswith("log"):
        place = source.user_location()
        say(f"{kind} {what}{', at ' + place if place else ''}", loudly=True)
        return
    name = (
        _SETTINGS[direction].name
        if current_context().get(_SETTINGS[direction])
        else "transfer_guard"
    )
    raise TransferError(
        f"Disallowed {kind} {what}",
        fix=f"{_FIXES[direction]}, or allow it: `with {name}('allow'):`",
    )


def guard_operand(operand: object) -> None:
    """Guard the transfer of an operand that is on the host: a NumPy array. Scalars are part of an operation.

    Raises:
        TransferError: the transfer is refused.
    """
    if isinstance(operand, np.ndarray) and operand.shape:
        guard("host-to-device", type_of(operand), "the default device")

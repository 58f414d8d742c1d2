"""Where computations run and where their results are: committed operands decide, else the default device.

Operands that are committed to different devices are refused; nothing is transferred implicitly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle_ir.core import dtypes
from treadle_ir.errors import PlacementError, capture
from treadle_ir.events import PlacementRefused, emit, listeners
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.placement import PlacedType, Placement


def resolve(
    operands: Sequence[PlacedType],
    default: Placement,
    name: str,
    describe: Callable[[int], str],
) -> Placement:
    """Return the placement of the results of a computation with operands of these types and placements.

    For messages, `describe(i)` names operand i, and `name` names the computation.

    Raises:
        PlacementError: two operands are committed to different devices.
    """
    chosen: Placement | None = None
    first = 0
    for index, operand in enumerate(operands):
        placement = operand.placement
        if placement.committed:
            if chosen is None:
                chosen, first = placement, index
            elif placement is not chosen and placement.devices != chosen.devices:
                one, other = describe(first), describe(index)
                if listeners:
                    _tell(name, (first, index), (one, other), (operands[first], operand))
                raise _conflict(name, one, operands[first], other, operand)
    if chosen is None:
        return default
    return chosen.compute_placement or chosen


def _tell(
    name: str,
    numbers: tuple[int, int],
    labels: tuple[str, str],
    placed: tuple[PlacedType, PlacedType],
) -> None:
    """Tell listeners that an operation is refused."""
    first, second = [", ".join(map(str, each.placement.devices)) for each in placed]
    emit(PlacementRefused(name, numbers, labels, placed, (first, second), capture()))


def _conflict(
    name: str, first: str, one: PlacedType, second: str, other: PlacedType
) -> PlacementError:
    sides = []
    for label, placed in ((first, one), (second, other)):
        devices = placed.placement.devices
        shape = ",".join(map(str, placed.type.shape))
        sides.append(
            f"{label} of {name} with shape {dtypes.user_name(placed.type.dtype)}[{shape}] and device ids "
            f"{[device.id for device in devices]} on platform {devices[0].platform.upper()} "
            f"({', '.join(map(repr, devices))})"
        )
    return PlacementError(
        f"Received incompatible devices for jitted computation. Got {sides[0]} and {sides[1]}",
        fix=_mended(one.placement.devices, other.placement.devices),
    )


def _mended(one: Sequence[Device], other: Sequence[Device]) -> str:
    """Return advice for two operands that are committed to different devices."""
    if {*one} == {*other}:
        return "their meshes have the same devices in another order: bring one over with device_put(x, sharding)"
    if len(one) > 1 or len(other) > 1:
        return "bring one to the devices of the other with device_put(x, sharding), or leave one uncommitted"
    return "move one of them with device_put(x, device), or leave one uncommitted"

"""`device` arguments."""

from __future__ import annotations

from typing import TypeAlias

from treadle_ir import Array

Device: TypeAlias = (
    object  # a device or a sharding of the runtime's, of which this package knows nothing
)


def placed(x: Array, device: Device) -> Array:
    """Return an array on a device, if one is given."""
    if device is None:
        return x
    return x.to_device(device)

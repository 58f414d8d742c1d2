"""`device` arguments."""

from __future__ import annotations

from typing import TypeAlias

Device: TypeAlias = (
    object  # a device or a sharding of the runtime's, of which this package knows nothing
)

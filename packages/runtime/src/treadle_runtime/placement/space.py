"""Memories by what they are for: `device_put(x, Space.Host)` leaves an array with its devices."""

from __future__ import annotations

from enum import Enum

from treadle_ir.primitives.memory import DEVICE_MEMORY


class Space(Enum):
    """Which memory of its devices an array is in: `Device`, where they compute, or `Host`, which is larger.

    What is `Host` has the kind of memory `pinned_host`, from which devices read by themselves.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> moments = treadle.device_put(tnp.zeros(3), treadle.memory.Space.Host)
        >>> moments.sharding.memory_kind
        'pinned_host'
    """

    Device = DEVICE_MEMORY
    Host = "pinned_host"

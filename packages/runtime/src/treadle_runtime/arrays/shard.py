"""The part of an array that is on one device."""

from __future__ import annotations

from typing import final

from treadle_ir import Array, frozen
from treadle_runtime.placement.devices import Device


@final
@frozen
class Shard:
    """The part of an array that is on one device."""

    device: Device
    data: Array
    index: tuple[slice, ...]
    replica_id: int = 0

    def __repr__(self) -> str:
        return f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}, data={self.data})"

"""`jax._src.distributed`: for orbax, which asks whether several processes are connected."""

from __future__ import annotations

from typing import Final

import treadle


class _State:
    """What a process knows of the others."""

    @property
    def client(self) -> object | None:
        """Something where several processes are connected; None where there is one."""
        return self if treadle.distributed.is_initialized() else None

    @property
    def process_id(self) -> int:
        """The number of this process."""
        return treadle.process_index()

    @property
    def num_processes(self) -> int:
        """How many there are."""
        return treadle.process_count()


global_state: Final = _State()

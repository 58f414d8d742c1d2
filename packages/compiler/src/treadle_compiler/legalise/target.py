"""Where a program will run, as far as passes depend on it."""

from __future__ import annotations

from typing import final

from treadle_compiler.legalise.memories import Memories
from treadle_compiler.partitioning import Partitioning
from treadle_ir.process import frozen


@final
@frozen
class Target:
    """Where a program will run, and how its parameters and results are stored there.

    Args:
        platform: `cpu`, `cuda`, `rocm` or `tpu`.
        partitioned: whether XLA partitions the program over several devices.
        partitioning: the shardings of the parameters and results of a whole program over several devices.
        memories: the memories of its parameters and results, where one is not in the device's own.
    """

    platform: str
    partitioned: bool = False
    partitioning: Partitioning | None = None
    memories: Memories | None = None

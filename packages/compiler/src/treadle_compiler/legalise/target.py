"""Where a program will run, as far as passes depend on it."""

from __future__ import annotations

from typing import final

from treadle_ir.process import frozen


@final
@frozen
class Target:
    """The platform, and whether XLA partitions the program over several devices."""

    platform: str
    partitioned: bool = False

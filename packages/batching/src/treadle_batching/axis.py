"""The axis being mapped, and where it sits in an array."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias, final

from treadle_ir import frozen


@final
@frozen
class Axis:
    """The axis being mapped: its size, and its name if collectives may use it."""

    size: int
    name: Hashable | None = None


Dim: TypeAlias = int | None  # where the batch sits; None: not batched

"""What the rules share: which operands have tangents, and those alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle_autodiff.tangents import Tangent, Zero
from treadle_ir import Flags, float0, type_of


def nonzero_flags(tangents: Sequence[Tangent]) -> Flags:
    """Which tangents are there; those of integers have no data."""
    return tuple(
        [not isinstance(tangent, Zero) and type_of(tangent).dtype != float0 for tangent in tangents]
    )


def those(items: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    """The items whose flags are set."""
    return [item for item, flag in zip(items, flags, strict=True) if flag]

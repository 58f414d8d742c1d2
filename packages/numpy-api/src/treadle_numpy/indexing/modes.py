"""What becomes of positions out of range."""

from __future__ import annotations

import enum
from typing import TypeAlias

from treadle_ir import ArgumentError
from treadle_ir.errors import shown
from treadle_ir.primitives.indexing import Mode


class GatherScatterMode(enum.Enum):
    """What becomes of positions out of range.

    CLIP moves them to the nearest in range. FILL_OR_DROP reads a fill value there, and drops what is written.
    PROMISE_IN_BOUNDS says that there are none. ONE_HOT is refused by the functions that take a mode.

    Example:
        >>> GatherScatterMode.from_any("clip")
        <GatherScatterMode.CLIP: 0>
    """

    CLIP = 0
    FILL_OR_DROP = 1
    PROMISE_IN_BOUNDS = 2
    ONE_HOT = 3

    @staticmethod
    def from_any(s: str | GatherScatterMode | None) -> GatherScatterMode:
        """Return the mode that a name or a mode means.

        Raises:
            ArgumentError: there is no such mode.
        """
        if isinstance(s, GatherScatterMode):
            return s
        names: dict[str | None, str] = {
            "clip": "CLIP",
            None: "FILL_OR_DROP",
            "fill": "FILL_OR_DROP",
            "drop": "FILL_OR_DROP",
        }
        name = names.get(s, str(s).upper())
        if name not in GatherScatterMode.__members__:
            raise ArgumentError(
                f"there is no mode {shown(s)} for positions out of range",
                fix="use 'clip', 'fill', 'drop' or 'promise_in_bounds'",
            )
        return GatherScatterMode[name]


IndexMode: TypeAlias = str | GatherScatterMode | None


def gather_mode(mode: IndexMode, default: Mode) -> Mode:
    """Return a `mode` argument as the primitive's: clip, fill or promise_in_bounds.

    Raises:
        ArgumentError: there is no such mode.
    """
    if mode is None:
        return default
    name = (mode if isinstance(mode, str) else str(getattr(mode, "name", ""))).lower()
    known: dict[str, Mode] = {
        "clip": "clip",
        "fill": "fill",
        "drop": "fill",
        "fill_or_drop": "fill",
        "promise_in_bounds": "promise_in_bounds",
    }
    if name not in known:
        raise ArgumentError(
            f"the mode of an index is {shown(mode)}, which is none of clip, fill, drop, promise_in_bounds"
        )
    return known[name]

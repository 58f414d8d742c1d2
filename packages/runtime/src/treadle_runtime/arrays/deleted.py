"""What is left of an array whose memory was donated or deleted, and the error for its use."""

from __future__ import annotations

import sys
from typing import Final, final

from treadle_ir import ArrayType
from treadle_ir.core import dtypes
from treadle_ir.errors import NOWHERE, DonatedError, Source, capture


@final
class Deleted:
    """Replaces a buffer that was donated or deleted, and records where that happened."""

    __slots__ = ("how", "source")

    def __init__(self, how: str, source: Source = NOWHERE) -> None:
        self.how = how
        self.source = source  # where in the user's code; computed when it is first used


@final
class GivenAway:
    """Makes the `Deleted` of the arrays that a program takes over: one object for all calls from the same place.

    A loop that donates its state calls from one place, so only one object is made there.
    """

    __slots__ = ("_how", "_last")

    def __init__(self, how: str) -> None:
        self._how: Final = how
        self._last = Deleted(how)

    def here(self, depth: int) -> Deleted:
        """Return the record of a deletion in the current call, of which the innermost `depth` frames are treadle's."""
        try:
            frame = sys._getframe(depth + 1)
        except ValueError:  # called by no Python: by a thread of its own
            return Deleted(self._how, capture())
        last = self._last
        source = last.source
        # A captured location is always in the user's code, so a frame of treadle's never matches.
        if source.code is not frame.f_code or source.offset != frame.f_lasti:
            last = self._last = Deleted(self._how, capture())
        return last


def deleted_error(type: ArrayType, why: Deleted) -> DonatedError:
    """Return the error for the use of an array that has been donated or deleted."""
    shape = ",".join(map(str, type.shape))
    error = DonatedError(
        f"Array has been deleted with shape={dtypes.user_name(type.dtype)}[{shape}].",
        fix="use the result of the call that it was donated to, or do not donate it",
    )
    place = why.source.show()
    error.add_note(f"  it was {why.how}{', at ' + place if place else ''}")
    return error

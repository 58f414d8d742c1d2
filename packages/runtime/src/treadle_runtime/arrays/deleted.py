"""What is left of an array whose memory was donated or deleted, and the error for its use."""

from __future__ import annotations

from typing import final

from treadle_ir import NOWHERE, ArrayType, DonatedError, Source, dtypes


@final
class Deleted:
    """Stands in the place of a buffer that was donated or deleted, and says where that happened."""

    __slots__ = ("how", "source")

    def __init__(self, how: str, source: Source = NOWHERE) -> None:
        self.how = how
        self.source = source  # where in the user's code; looked up when somebody asks


def deleted_error(type: ArrayType, why: Deleted) -> DonatedError:
    """The error for the use of an array that has been donated or deleted."""
    shape = ",".join(map(str, type.shape))
    error = DonatedError(
        "Invalid argument: CopyToHostAsync() called on invalid buffer. "
        f"Array has been deleted with shape={dtypes.user_name(type.dtype)}[{shape}].",
        fix="use the result of the call that it was donated to, or do not donate it",
    )
    place = why.source.show()
    error.add_note(f"  it was {why.how}{', at ' + place if place else ''}")
    return error

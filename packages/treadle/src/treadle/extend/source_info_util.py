"""Where operations come from: files whose lines are not a user's."""

from __future__ import annotations

from treadle_ir import names, source

__all__ = ["register_exclusion"]


def register_exclusion(path: str) -> None:
    """Leave the lines of a file, or of the files of a folder, out of tracebacks and messages.

    Raises:
        ArgumentError: it is no string.
    """
    names("register_exclusion", path=path)
    source.internal(path)

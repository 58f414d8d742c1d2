"""The static arguments of a call, which its program has as constants."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator

from treadle_insight.report import Table
from treadle_insight.subject import Subject


def tables(subject: Subject) -> Iterator[Table]:
    """Yield the table of static arguments, if there are any.

    Args:
        subject: the program, and the call that it was traced for.
    """
    if subject.traced is None:
        return
    values = subject.traced.static_values(subject.positional)
    if values:
        rows = [(name, type(x).__name__, reprlib.repr(x)) for name, x in values.items()]
        yield Table("static arguments", ("argument", "class", "value"), tuple(rows))

"""Places in the user's source, with columns."""

from __future__ import annotations

import inspect
import linecache
from dataclasses import dataclass
from types import CodeType
from typing import Self, final
from unicodedata import combining, east_asian_width

from treadle_ir.errors import Source, is_internal, short_name


@final
@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file of source code.

    Lines and columns are counted from 1, as editors count them; 0 stands for an unknown one. The place ends
    at `end_line`, before `end_column`.

    Example:
        >>> place = Place("train.py", 41, 5, "loss")
        >>> place.show()
        'train.py:41, in loss'
    """

    file: str
    line: int
    column: int = 0
    name: str = ""  # the qualified name of the function
    end_line: int = 0
    end_column: int = 0

    @classmethod
    def of(cls, source: Source) -> Self:
        """Return the place of a location that treadle recorded.

        Args:
            source: the location of an equation, or of a call.
        """
        line, end_line, start, stop = source.span
        column, end_column = (
            _characters(source.file, line, start),
            _characters(source.file, end_line, stop),
        )
        return cls(source.file, line, column, source.function, end_line, end_column)

    @classmethod
    def of_function(cls, function: object) -> Self | None:
        """Return the first line of a user's function, which may be its decorator; None if it has none.

        Args:
            function: a function, a method, or a function of treadle that wraps one.
        """
        code = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type]
        if not isinstance(code, CodeType) or is_internal(code.co_filename):
            return None
        return cls(code.co_filename, code.co_firstlineno, 1, code.co_qualname)

    @property
    def text(self) -> str:
        """The line of source code, without the spaces around it; empty if it cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def marked(self) -> str:
        """The part of the line between the columns; the whole line if the columns are unknown."""
        line = linecache.getline(self.file, self.line)
        if not self.column or self.end_line != self.line:
            return line.strip()
        return line[self.column - 1 : self.end_column - 1].strip()

    @property
    def marks(self) -> str:
        """Spaces and a caret below each character of `text` that is within the place.

        Empty if the columns are unknown, or if the place is the whole line, where carets add nothing.
        """
        whole = linecache.getline(self.file, self.line).rstrip()
        indent = len(whole) - len(whole.lstrip())
        stop = self.end_column - 1 if self.end_line == self.line else len(whole)
        start, stop = max(self.column - 1, indent), min(stop, len(whole))
        if not self.column or stop <= start or (start, stop) == (indent, len(whole)):
            return ""
        return " " * columns(whole[indent:start]) + "^" * columns(whole[start:stop])

    def show(self) -> str:
        """Return `train.py:41, in loss:  y = x + b`, without the parts that are unknown."""
        where = f"{short_name(self.file)}:{self.line}" if self.file else "an unknown place"
        if self.name and self.name != "<module>":
            where += f", in {self.name}"
        text = self.text
        return f"{where}:  {text}" if text else where

    def __str__(self) -> str:
        return f"{short_name(self.file)}:{self.line}" if self.file else "an unknown place"


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for each wide character, none for a combining one.

    Args:
        text: the text, of one line.

    Example:
        >>> columns("x + 1"), columns("数 + 1")
        (5, 6)
    """
    if text.isascii():
        return len(text)
    wide = sum([east_asian_width(each) in "WF" for each in text])
    return len(text) + wide - sum([combining(each) > 0 for each in text])


def _characters(file: str, line: int, column: int) -> int:
    """Return a column counted in characters, given one counted in bytes of UTF-8."""
    if not column:
        return 0
    encoded = linecache.getline(file, line).encode()[: column - 1]
    return len(encoded.decode(errors="replace")) + 1

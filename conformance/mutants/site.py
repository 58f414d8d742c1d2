"""One fault: a piece of one source file, and what stands there instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Site:
    """A replacement of `file[start:end]` (characters) by `new`; `lines` is the range of the innermost statement."""

    operator: str
    file: str  # from the root of the repository
    start: int
    end: int
    old: str
    new: str
    lines: tuple[int, int]

    @property
    def package(self) -> str:
        """The folder of the package below `packages`."""
        return re.match(r"packages/([^/]+)/", self.file)[1]  # type: ignore[index]

    def applied(self, text: str) -> str:
        """Put the fault into the text of the file."""
        if text[self.start : self.end] != self.old:
            raise ValueError(f"{self.file} has changed: {self.old!r} is not at {self.start}")
        return text[: self.start] + self.new + text[self.end :]

    def line(self, text: str) -> int:
        """The line of the fault in the text of the file."""
        return text.count("\n", 0, self.start) + 1

    def change(self, text: str) -> str:
        """The changed lines of the text of the file, before and after: the same when lines above come and go."""
        begin = text.rfind("\n", 0, self.start) + 1
        stop = text.find("\n", self.end)
        after = text[begin : self.start] + self.new + text[self.end : stop]
        return f"{text[begin:stop].strip()} => {after.strip()}"

    def applies(self) -> bool:
        """Return whether the file still has `old` at this place."""
        path = ROOT / self.file
        return path.exists() and path.read_text()[self.start : self.end] == self.old

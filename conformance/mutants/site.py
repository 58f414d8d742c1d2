"""One fault: a piece of one source file, and what stands there instead."""

from __future__ import annotations

import ast
import functools
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

    def function(self, text: str) -> str:
        """Return the qualified name of the function or class around the fault in `text`, the text of the file."""
        return _around(text, self.line(text))[0]

    def occurrence(self, text: str) -> int:
        """Count the lines of the function above the fault which have the same text as the line of the fault."""
        here = self.line(text)
        lines = [line.strip() for line in text.splitlines()[_around(text, here)[1] - 1 : here]]
        return lines[:-1].count(lines[-1])


def _around(text: str, line: int) -> tuple[str, int]:
    """Return the qualified name of the innermost definition around a line, and the first line of the definition."""
    return [(name, first) for name, first, last in _definitions(text) if first <= line <= last][-1]


@functools.lru_cache(64)
def _definitions(text: str) -> list[tuple[str, int, int]]:
    """Return the name, first line and last line of the module (named "") and of each definition, outer ones first."""
    found = [("", 1, text.count("\n") + 1)]
    waiting: list[tuple[ast.AST, str]] = [(ast.parse(text), "")]
    while waiting:
        node, name = waiting.pop()
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}".removeprefix(".")
                found.append((inner, child.lineno, child.end_lineno or child.lineno))
            waiting.append((child, inner))
    return found

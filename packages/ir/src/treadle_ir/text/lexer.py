"""Tokens of the text format, a line at a time, and the error that shows a place in a text."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, final

from treadle_ir.errors.kinds import ParseError
from treadle_ir.text.attributes import (
    ELEMENT,
    REAL,
    SHARDED_SIZES,
    SHARDING,
    SIZES,
    VARYING,
    shortened,
)

PATTERN: Final = re.compile(
    rf"""(?P<space>[ \t\r]+|\#.*)
    |(?P<literal>(?:{REAL}|True|False|zero|\({REAL},\ ?{REAL}\)):{ELEMENT}\*?)
    |(?P<value>%[A-Za-z0-9_]+)
    |(?P<type>{ELEMENT}\[{SHARDED_SIZES}\]\*?(?:{SHARDING})?(?:{VARYING})?)
    |(?P<dimension>\[{SIZES}\])
    |(?P<bytes>x"[0-9a-f]*")
    |(?P<name>[A-Za-z_][A-Za-z0-9_.]*(?:<[a-z]+>)?)
    |(?P<complex>\({REAL},\ ?{REAL}\)j)
    |(?P<number>-?(?:[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?|inf|nan)(?:\(0x[0-9a-f]+\))?)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<program>@[A-Za-z_][A-Za-z0-9_]*)
    |(?P<opaque><opaque\ [A-Za-z0-9_.]*>)
    |(?P<symbol>->|[(){{}}=,:@!])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A piece of a line: its kind, its text and the column where it begins, counted from 1."""

    kind: str
    text: str
    column: int


END: Final = "end of line"
_MESSAGE: Final = 1_000  # characters


@final
class Lexer:
    """Reads tokens of one line after the other, and knows where it is."""

    def __init__(self, text: str, file: str) -> None:
        self.lines: Final = text.split("\n")
        self.file: Final = file
        self.number = 0  # of the current line, counted from 1
        self.tokens: list[Token] = []
        self.position = 0

    def next_line(self) -> bool:
        """Go to the next line that has tokens; False at the end of the text."""
        while self.number < len(self.lines):
            self.number += 1
            self.tokens = self._split(self.lines[self.number - 1])
            self.position = 0
            if len(self.tokens) > 1:
                return True
        self.number = len(self.lines)
        return False

    def _split(self, line: str) -> list[Token]:
        tokens: list[Token] = []
        end = 0
        for match in PATTERN.finditer(line):
            start = match.start()
            if start != end:
                break
            end = match.end()
            kind = match.lastgroup
            assert kind is not None
            if kind != "space":
                tokens.append(Token(kind, match.group(), start + 1))
        if end != len(line):
            character = line[end]
            shown = f"`{character}`" if character.isprintable() else f"U+{ord(character):04X}"
            raise self.error(f"{shown} cannot begin anything", end + 1)
        tokens.append(Token(END, "", len(line.rstrip()) + 1))
        return tokens

    def peek(self) -> Token:
        """Return the next token of the line."""
        return self.tokens[self.position]

    def take(self) -> Token:
        """Return the next token of the line and advance (the end of the line stays)."""
        token = self.tokens[self.position]
        if token.kind != END:
            self.position += 1
        return token

    def at(self, text: str) -> bool:
        """Return whether the next token is the symbol or name `text`, and consume it if so."""
        token = self.tokens[self.position]
        if token.text == text and token.kind in ("symbol", "name"):
            self.position += 1
            return True
        return False

    def expect(self, text: str, where: str) -> Token:
        """Take this symbol or name.

        Raises:
            ParseError: something else is there.
        """
        token = self.peek()
        if token.text != text or token.kind not in ("symbol", "name"):
            raise self.unexpected(f"`{text}`", where)
        self.position += 1
        return token

    def expect_kind(self, kind: str, what: str, where: str) -> Token:
        """Take a token of this kind.

        Raises:
            ParseError: something else is there.
        """
        token = self.peek()
        if token.kind != kind:
            raise self.unexpected(what, where)
        self.position += 1
        return token

    def end_of_line(self, where: str) -> None:
        """See that the line is over.

        Raises:
            ParseError: it is not.
        """
        if self.peek().kind != END:
            raise self.unexpected("the end of the line", where)

    def unexpected(self, wanted: str, where: str) -> ParseError:
        """Return the error for a token that cannot stand here."""
        token = self.peek()
        found = "the line ends" if token.kind == END else f"`{shortened(token.text)}` stands"
        return self.error(f"{found} where {where} needs {wanted}", token.column)

    def error(
        self, what: str, column: int, *, fix: str | None = None, line: int | None = None
    ) -> ParseError:
        """Return an error at a column of a line (of the current one, by default)."""
        number = self.number if line is None else line
        text = self.lines[number - 1] if 0 < number <= len(self.lines) else ""
        return error_at(what, self.file, number, column, text, fix)


def error_at(
    what: str, file: str, number: int, column: int, text: str, fix: str | None
) -> ParseError:
    """Return a `ParseError` that shows the line and a caret; of a long line, what is around the column."""
    if len(what) > _MESSAGE:  # it lists what a damaged text has too many of
        what = what[:_MESSAGE] + "..."
    start = max(0, column - 60)
    shown = "".join(c if c.isprintable() else " " for c in text[start : start + 100])
    prefix = "..." if start else ""
    caret = " " * (len(prefix) + column - 1 - start) + "^"
    error = ParseError(
        f"line {number}, column {column}: {what}",
        fix=fix,
        where=f"{file}:{number}:{column}\n      {prefix}{shown}\n      {caret}",
    )
    error.line, error.column = number, column
    return error

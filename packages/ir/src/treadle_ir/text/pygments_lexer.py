"""A lexer of the text format for Pygments, which finds it by its entry point under the name `treadle`.

It colours the tokens of `lexer.py`, so its syntax is the syntax of the parser. treadle-ir does not depend on
Pygments: this module is imported by Pygments, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from pygments import token
from pygments.lexer import Lexer as PygmentsLexer

from treadle_ir.text.lexer import PATTERN

_WORDS: Final = frozenset({"treadle", "program", "mesh", "where", "return"})
_KINDS: Final = {
    "literal": token.Number,
    "value": token.Name.Variable,
    "type": token.Keyword.Type,
    "dimension": token.Number,
    "bytes": token.String,
    "complex": token.Number,
    "number": token.Number,
    "string": token.String,
    "program": token.Name.Label,
    "opaque": token.Error,
    "symbol": token.Punctuation,
}


@final
class TreadleLexer(PygmentsLexer):  # type: ignore[misc]  # Pygments has no types
    """The text format of programs (docs/text-format.md).

    Example:
        >>> from pygments import highlight
        >>> from pygments.formatters import NullFormatter
        >>> highlight("treadle 1", TreadleLexer(), NullFormatter())
        'treadle 1\\n'
    """

    name = "treadle"
    aliases: Final = ["treadle"]
    filenames: Final = ["*.treadle"]
    mimetypes: Final = ["text/x-treadle"]
    url = ""

    # Any: Pygments' types of tokens are objects without a public class
    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, object, str]]:
        """Yield the position, the type and the text of each token; a character that begins none is an error.

        Args:
            text: the text of programs, or a part of it.
        """
        start = 0
        for line in text.split("\n"):
            position, before, attributes = 0, "", False
            while position < len(line):
                found = PATTERN.match(line, position)
                if found is None:
                    yield start + position, token.Error, line[position]
                    position += 1
                    continue
                kind, piece = found.lastgroup or "", found[0]
                if kind == "name":
                    yield start + position, _name(piece, before, attributes=attributes), piece
                elif kind == "space":
                    comment = piece.startswith("#")
                    yield (
                        start + position,
                        token.Comment.Single if comment else token.Whitespace,
                        piece,
                    )
                else:
                    yield start + position, _KINDS[kind], piece
                if kind != "space":
                    before, attributes = piece, attributes or piece == "{"
                position = found.end()
            start += len(line)
            if start < len(text):
                yield start, token.Whitespace, "\n"
                start += 1


def _name(text: str, before: str, *, attributes: bool) -> object:
    """Return the type of a name.

    Args:
        text: the name.
        before: the token before it in its line.
        attributes: whether the attributes of the operation have begun.
    """
    if before == "!":
        return token.Name.Decorator  # an effect
    if attributes:
        return token.Name.Constant if before == "=" else token.Name.Attribute
    return token.Keyword if not before and text in _WORDS else token.Name.Function

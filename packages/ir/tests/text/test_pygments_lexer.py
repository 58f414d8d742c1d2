"""The text format in colour, by Pygments and by the TextMate grammar."""

from __future__ import annotations

import importlib.resources
import json
import re
import tomllib
from pathlib import Path

import pytest
from pygments import token
from pygments.token import is_token_subtype

from treadle_ir.testing.examples import all_examples
from treadle_ir.text.pygments_lexer import TreadleLexer
from treadle_ir.tracing.builder import Builder

TEXT = """\
treadle 1

program @main(%0: f32[2,3], %x: key<fry>[]) -> (f32[2]) {
  # a comment
  %2: f32[2]* = reduce_add %0 {axes=(1,), keeps=False} @ "train \\"x\\".py":41
  %3: f32[2] = multiply %2, -0.5:f32 !Print
  print %3 {label="a {b}", kind=Mode.FAST}
  return %3
}
"""


def tokens(text: str) -> list[tuple[object, str]]:
    found = [*TreadleLexer().get_tokens_unprocessed(text)]
    position = 0
    for start, _, piece in found:
        assert start == position
        position += len(piece)
    assert "".join([piece for *_, piece in found]) == text
    return [(kind, piece) for _, kind, piece in found]


def texts_of_examples() -> list[str]:
    """Return a program for each operation."""
    texts = {}
    for each in all_examples():
        if each.primitive.name not in texts:
            build = Builder()
            results = build.apply_many(each.primitive, *map(build.parameter, each.types))
            texts[each.primitive.name] = str(build.program(*results))
    return [*texts.values()]


EXAMPLES = texts_of_examples()


def test_each_part_has_its_type() -> None:
    found = tokens(TEXT)
    for kind, piece in [
        (token.Keyword, "treadle"),
        (token.Keyword, "program"),
        (token.Keyword, "return"),
        (token.Name.Label, "@main"),
        (token.Name.Variable, "%x"),
        (token.Keyword.Type, "key<fry>[]"),
        (token.Keyword.Type, "f32[2]*"),
        (token.Comment.Single, "# a comment"),
        (token.Name.Function, "reduce_add"),
        (token.Name.Function, "print"),
        (token.Name.Attribute, "axes"),
        (token.Name.Constant, "False"),
        (token.Name.Constant, "Mode.FAST"),
        (token.String, '"train \\"x\\".py"'),
        (token.String, '"a {b}"'),
        (token.Number, "-0.5:f32"),
        (token.Name.Decorator, "Print"),
    ]:
        assert (kind, piece) in found, piece
    assert token.Error not in [kind for kind, _ in found]


def test_all_operations_are_lexed_without_errors() -> None:
    assert len(EXAMPLES) > 100
    for text in EXAMPLES:
        for kind, piece in tokens(text):
            assert kind is not token.Error or piece.startswith("<opaque"), (piece, text)


def test_what_begins_no_token_is_an_error() -> None:
    assert tokens("%0 ? %1")[2] == (token.Error, "?")
    assert tokens("") == []
    assert tokens("\n\n") == [(token.Whitespace, "\n")] * 2


def test_pygments_finds_the_lexer_by_its_name() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    (entry,) = project["project"]["entry-points"]["pygments.lexers"].items()
    assert entry == ("treadle", f"{TreadleLexer.__module__}:{TreadleLexer.__name__}")
    assert TreadleLexer.aliases == ["treadle"]


# What the grammar for editors says, in the lexer's terms.
SCOPES = {
    "comment": token.Comment,
    "string": token.String,
    "variable.other.value": token.Name.Variable,
    "storage.type": token.Keyword.Type,
    "entity.name.function.program": token.Name.Label,
    "keyword.control": token.Keyword,
    "support.function": token.Name.Function,
    "constant.numeric": token.Number,
    "variable.parameter.attribute": token.Name.Attribute,
}


@pytest.fixture(scope="module")
def grammar() -> list[tuple[str, re.Pattern[str]]]:
    file = importlib.resources.files("treadle_ir.text") / "treadle.tmLanguage.json"
    patterns = json.loads(file.read_text())["patterns"]
    return [(each["name"], re.compile(each["match"])) for each in patterns]


def scoped(line: str, grammar: list[tuple[str, re.Pattern[str]]]) -> list[tuple[str, str]]:
    """Return the scopes of a line as an editor finds them: the first match, of the first rule that has it."""
    found: list[tuple[str, str]] = []
    position = 0
    while True:
        matches = [(rule.search(line, position), name) for name, rule in grammar]
        here = [(match, name) for match, name in matches if match is not None and match[0]]
        if not here:
            return found
        match, name = min(here, key=lambda pair: pair[0].start())
        found.append((name, match[0].strip()))
        position = match.end()


@pytest.mark.parametrize("text", [TEXT, *EXAMPLES[::10]])
def test_the_grammar_for_editors_agrees_with_the_lexer(
    text: str, grammar: list[tuple[str, re.Pattern[str]]]
) -> None:
    for line in text.splitlines():
        wanted = tokens(line)
        for name, piece in scoped(line, grammar):
            scope = next((kind for start, kind in SCOPES.items() if name.startswith(start)), None)
            if scope is not None:
                assert any(
                    each == piece and is_token_subtype(kind, scope) for kind, each in wanted
                ), (*(name, piece, line),)
        # Values, types, labels and strings are found without exception.
        parts = [piece for _, piece in scoped(line, grammar)]
        for kind, piece in wanted:
            if kind in (
                token.Name.Variable,
                token.Keyword.Type,
                token.Name.Label,
                token.Name.Function,
            ):
                assert piece in parts, (piece, line)

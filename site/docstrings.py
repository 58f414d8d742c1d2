"""Docstrings and signatures of treadle as reStructuredText.

Napoleon reads the sections; what it does not know is that single backticks mark code, and which of these are names with
a page of their own.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Callable, Container
from typing import cast

from sphinx.config import Config
from sphinx.ext.napoleon import Config as Napoleon
from sphinx.ext.napoleon.docstring import GoogleDocstring

# Sections of the house, in addition to Google's.
SECTIONS = [("Shapes", "params_style"), "Constraints", "Units", "Source", "Sources"]
NAPOLEON = Napoleon(
    napoleon_custom_sections=SECTIONS,
    napoleon_use_rtype=False,
    napoleon_preprocess_types=False,
)
CODE = re.compile(r"(`+)(.+?)\1")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
# Characters that are markup in reStructuredText, and are written as they are in docstrings.
MARKUP = re.compile(r"(?<!\\)([*|])|(?<=\w)(_)(?!\w)")
# Where a name in backticks is looked up, after the namespace of the docstring.
SCOPES = (
    *("treadle", "treadle.numpy", "treadle.lax", "treadle.errors", "treadle.sharding"),
    *(
        "treadle.tree",
        "treadle.random",
        "treadle.typing",
        "treadle.stages",
        "treadle.tree_util",
        "treadle_ir",
    ),
)
ALIASES = {"tnp": "treadle.numpy", "jnp": "treadle.numpy", "ir": "treadle_ir"}

Lookup = Callable[[str], str | None]


def lookup(known: Container[str], namespace: str) -> Lookup:
    """Return a function from a name in a docstring of `namespace` to the full name that it means, if it has a page."""

    def find(name: str) -> str | None:
        if hasattr(
            builtins, name
        ):  # Python's own: `bool` in an annotation is not `treadle.numpy.bool`
            return None
        head, dot, rest = name.partition(".")
        if head in ALIASES:
            name = f"{ALIASES[head]}{dot}{rest}"
        candidates = [name, *(f"{scope}.{name}" for scope in (namespace, *SCOPES))]
        return next((each for each in candidates if "." in each and each in known), None)

    return find


def restructured(docstring: str, find: Lookup, own: Container[str] = ()) -> str:
    """Return a docstring as reStructuredText: its sections as fields, names in `find` as links.

    Args:
        docstring: the cleaned docstring.
        find: the full name that a name means.
        own: names that mean themselves: the parameters.
    """
    lines: list[str] = []
    example = False
    for line in docstring.splitlines():
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        lines.append(line if example else prose(line, find, own))
    return str(GoogleDocstring(lines, cast("Config", NAPOLEON)))


def prose(line: str, find: Lookup, own: Container[str]) -> str:
    """Return a line of text: code as literals or links, everything else without accidental markup."""
    parts: list[str] = []
    end = 0
    for match in CODE.finditer(line):
        parts.append(escaped(line[end : match.start()]))
        code = match[2].strip()
        target = None if code in own or not DOTTED.fullmatch(code) else find(code)
        written = f"``{code}``" if target is None else f":py:obj:`{code} <{target}>`"
        # Markup ends where a word does: `x`s is two parts.
        after = line[match.end() : match.end() + 1]
        before = line[match.start() - 1 : match.start()] if match.start() else ""
        glued = "\\ " if after.isalnum() or after == "_" else ""
        parts.append(("\\ " if before.isalnum() else "") + written + glued)
        end = match.end()
    return "".join([*parts, escaped(line[end:])])


def escaped(text: str) -> str:
    """Return text in which no character is markup."""
    return MARKUP.sub(lambda match: "\\" + match[0], text)


def signature(value: object) -> str:
    """Return the signature of a function or class, as it is written: annotations are not resolved."""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]  # some are not callable: a TypeError
    except (TypeError, ValueError):
        return "()"
    parameters = [shown(each) for each in found.parameters.values() if hidden(each) is False]
    written: list[str] = []
    previous: inspect._ParameterKind | None = None
    kinds = [each.kind for each in found.parameters.values() if hidden(each) is False]
    for parameter, kind in zip(parameters, kinds, strict=True):
        if previous is inspect.Parameter.POSITIONAL_ONLY and kind is not previous:
            written.append("/")
        if kind is inspect.Parameter.KEYWORD_ONLY and previous not in (
            inspect.Parameter.KEYWORD_ONLY,
            inspect.Parameter.VAR_POSITIONAL,
        ):
            written.append("*")
        written.append(parameter)
        previous = kind
    if previous is inspect.Parameter.POSITIONAL_ONLY:
        written.append("/")
    result = found.return_annotation
    arrow = "" if result is found.empty or inspect.isclass(value) else f" -> {annotation(result)}"
    return f"({', '.join(written)}){arrow}"


def hidden(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter is for libraries alone: its name begins with an underscore, and it has a default."""
    return parameter.name.startswith("_") and parameter.default is not parameter.empty


def shown(parameter: inspect.Parameter) -> str:
    """Return a parameter with its annotation and default."""
    stars: dict[object, str] = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    text = stars.get(parameter.kind, "") + parameter.name
    annotated = parameter.annotation is not parameter.empty
    if annotated:
        text += f": {annotation(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        text += (
            f" = {default(parameter.default)}" if annotated else f"={default(parameter.default)}"
        )
    return text


def annotation(value: object) -> str:
    """Return an annotation as Python source."""
    if isinstance(value, str):
        return value
    return (
        str(inspect.formatannotation(value)).replace("typing.", "").replace("collections.abc.", "")
    )


def default(value: object) -> str:
    """Return a default as Python source, or three dots where it has none."""
    written = getattr(value, "__name__", None) if callable(value) else repr(value)
    try:
        ast.parse(str(written), mode="eval")
    except SyntaxError:
        return "..."
    return str(written)


def summary(docstring: str | None) -> str:
    """Return the first paragraph of a docstring, on one line."""
    first = (docstring or "").strip().split("\n\n")[0]
    return " ".join(first.split())

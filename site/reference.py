"""The pages of the API reference, as reStructuredText: one of each namespace, function and class."""

from __future__ import annotations

import enum
import inspect
import textwrap
import types
from collections.abc import Iterator, Mapping

from docstrings import Lookup, lookup, prose, restructured, signature, summary
from names import Namespace, known_names, namespaces, page_of

OURS = "treadle"  # modules of treadle begin with this word


def pages() -> dict[str, str]:
    """Return the text of each page of the reference, by its name."""
    found = namespaces()
    known = known_names()
    written = {"api/index": index(found)}
    for each in found.values():
        find = lookup(known, each.name)
        written[page_of(each.name)] = namespace_page(each, find)
        for name, value in each.callables.items():
            written[page_of(f"{each.name}.{name}")] = page(each.name, name, value, find)
    return written


def index(found: Mapping[str, Namespace]) -> str:
    """Return the page of all namespaces."""
    rows = [
        (f":py:mod:`{each.name}`", summary(each.module.__doc__).partition(". ")[0])
        for each in found.values()
    ]
    tree = [page_of(name).removeprefix("api/") for name in found]
    text = "One page of each function and class, from its docstring; examples are run by the tests."
    return "\n\n".join(
        [title("API reference"), text, table(rows, lambda name: None), toctree(tree)]
    )


def namespace_page(each: Namespace, find: Lookup) -> str:
    """Return the page of a namespace: its docstring, and tables of what it offers."""
    parts = [title(each.name), f".. py:module:: {each.name}"]
    parts.append(restructured(inspect.getdoc(each.module) or "", find))
    classes = {name: value for name, value in each.callables.items() if inspect.isclass(value)}
    functions = {name: value for name, value in each.callables.items() if name not in classes}
    for heading, members in (("Functions", functions), ("Classes", classes)):
        if members:
            rows = [
                (f":py:obj:`{name} <{each.name}.{name}>`", summary(inspect.getdoc(value)))
                for name, value in members.items()
            ]
            parts += [title(heading, "-"), table(rows, find)]
    parts += list(values(each, find))
    if each.callables:
        parts.append(toctree([f"{each.name}.{name}" for name in each.callables]))
    return "\n\n".join(parts) + "\n"


def values(each: Namespace, find: Lookup) -> Iterator[str]:
    """Yield the descriptions of constants and other values; values of one type share its description."""
    by_type: dict[type, list[str]] = {}
    for name, value in each.values.items():
        by_type.setdefault(type(value), []).append(name)
    if by_type:
        yield title("Values", "-")
    for kind, names in sorted(by_type.items(), key=lambda item: item[0].__name__):
        ours = kind.__module__.startswith(OURS)
        said = f" {prose(summary(kind.__doc__), find, ())}" if ours else ""
        yield f"Of the type ``{kind.__name__}``.{said}"
        for name in names:
            text = repr(each.values[name])
            shown = f"\n   :value: {text}" if plain(each.values[name]) else ""
            yield f".. py:data:: {name}{shown}"


def plain(value: object) -> bool:
    """Return whether a value is best described by its repr."""
    kinds = (bool, int, float, str, frozenset, type(None), types.GenericAlias, types.UnionType)
    return isinstance(value, kinds) and len(repr(value)) < 200


def page(namespace: str, name: str, value: object, find: Lookup) -> str:
    """Return the page of one function or class."""
    kind = "function"
    if inspect.isclass(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
    head = f".. py:{kind}:: {name}{signature(value)}"
    body = described(value, find)
    if inspect.isclass(value):
        body = "\n\n".join([body, *members(value, find)])
    module = f".. py:currentmodule:: {namespace}"
    parts = [title(f"{namespace}.{name}"), module, f"{head}\n\n{indented(body)}"]
    return "\n\n".join(parts) + "\n"


def described(value: object, find: Lookup) -> str:
    """Return the docstring of a function, class or method of treadle as reStructuredText."""
    module = getattr(value, "__module__", None)
    if module is not None and not module.startswith(OURS):
        kind = "class" if isinstance(value, type) else "value"
        return f"The {kind} ``{module}.{getattr(value, '__qualname__', value)}``."
    try:
        own = set(inspect.signature(value).parameters)  # type: ignore[arg-type]  # properties: a TypeError
    except (TypeError, ValueError):
        own = set()
    return restructured(inspect.getdoc(value) or "", find, own)


def members(owner: type, find: Lookup) -> Iterator[str]:
    """Yield the public methods, properties and members of a class of treadle, if they have a docstring."""
    if issubclass(owner, enum.Enum):
        yield from (f".. py:attribute:: {owner.__name__}.{each.name}" for each in owner)
    found: dict[str, object] = {}
    for base in reversed(owner.__mro__):
        if base.__module__.startswith(OURS):
            found |= {name: each for name, each in vars(base).items() if name[0] != "_"}
    for name, each in sorted(found.items()):
        function = each.__func__ if isinstance(each, (classmethod, staticmethod)) else each
        text = described(function, find)
        if not text.strip():
            continue
        if inspect.isfunction(function):
            option = {classmethod: "\n   :classmethod:", staticmethod: "\n   :staticmethod:"}
            head = f".. py:method:: {name}{without_self(each)}{option.get(type(each), '')}"
        elif isinstance(each, property):
            head = f".. py:property:: {name}"
        else:
            continue
        yield f"{head}\n\n{indented(text)}"


def without_self(method: object) -> str:
    """Return the signature of a method without its first parameter."""
    if isinstance(method, staticmethod):
        return signature(method.__func__)
    function = method.__func__ if isinstance(method, classmethod) else method
    bound = inspect.signature(function)  # type: ignore[arg-type]  # a function: `members` looked
    first = next(iter(bound.parameters.values()))
    text = signature(function)
    start = text.index(first.name) + len(first.name)
    depth = 0
    while depth or text[start] not in ",)":
        depth += {"[": 1, "]": -1}.get(text[start], 0)
        start += 1
    rest = text[start:].removeprefix(",").lstrip()
    return f"({rest.removeprefix('/, ').removeprefix('/')}"


def title(text: str, line: str = "=") -> str:
    """Return a heading."""
    escaped = text.replace("_", "\\_")
    return f"{escaped}\n{line * len(escaped)}"


def table(rows: list[tuple[str, str]], find: Lookup) -> str:
    """Return a table of names and what they are."""
    body = "".join(f"   * - {name}\n     - {prose(text, find, ())}\n" for name, text in rows)
    return f".. list-table::\n   :widths: 30 70\n   :class: names\n\n{body}"


def toctree(entries: list[str]) -> str:
    """Return a table of contents that is not shown."""
    body = "".join(f"   {entry}\n" for entry in entries)
    return f".. toctree::\n   :hidden:\n   :maxdepth: 1\n\n{body}"


def indented(text: str) -> str:
    """Return the text as the content of a directive."""
    return textwrap.indent(text, "   ")

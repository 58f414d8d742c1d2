"""Which names of treadle have a page: what the namespaces offer, from `__all__`.

A namespace is a module that its parent offers under its own name. It has a page with a table; each function and class
in it has a page of its own, and other values are described on the page of the namespace.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType

ROOTS = ("treadle", "treadle_ir")


@dataclass(frozen=True)
class Namespace:
    """A public module: what it offers, by name."""

    name: str
    module: ModuleType
    callables: Mapping[str, object]
    values: Mapping[str, object]
    children: tuple[str, ...]


@functools.cache
def namespaces() -> dict[str, Namespace]:
    """Return every public namespace by its name, parents before children."""
    found: dict[str, Namespace] = {}
    waiting = list(reversed(ROOTS))
    while waiting:
        each = namespace(waiting.pop())
        found[each.name] = each
        waiting += reversed(each.children)
    return found


def namespace(name: str) -> Namespace:
    """Return the namespace of a module."""
    module = importlib.import_module(name)
    offered = {each: getattr(module, each) for each in public_names(module)}
    modules = {each for each, value in offered.items() if inspect.ismodule(value)}
    children = [f"{name}.{each}" for each in sorted(modules)]
    callables = {each: value for each, value in offered.items() if has_page(value)}
    values = {each: offered[each] for each in offered.keys() - modules - callables.keys()}
    return Namespace(
        name,
        module,
        MappingProxyType(dict(sorted(callables.items()))),
        MappingProxyType(dict(sorted(values.items()))),
        tuple(each for each in children if offered[each.rpartition(".")[2]].__name__ == each),
    )


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a module offers: `__all__`, or what it defines, and what it imports `as` public."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [each for each in listed if not each.startswith("_")]
    found: list[str] = []
    for statement in ast.parse(inspect.getsource(module)).body:
        match statement:
            case ast.ImportFrom(names=imported):
                found += [each.name for each in imported if each.asname == each.name]
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.append(name)
    return [each for each in found if not each.startswith("_")]


def has_page(value: object) -> bool:
    """Return whether a value is a function or a class, or is called like one and has a docstring of its own."""
    if inspect.isclass(value) or inspect.isroutine(value):
        return True
    ours = type(value).__module__.startswith(ROOTS[0])
    return ours and callable(value) and value.__doc__ != type(value).__doc__


def known_names() -> frozenset[str]:
    """Return the full names of everything that the site describes."""
    found = namespaces()
    offered = [
        f"{each.name}.{name}" for each in found.values() for name in (*each.callables, *each.values)
    ]
    return frozenset([*found, *offered])


def page_of(name: str) -> str:
    """Return the page of a public name, as Sphinx names it."""
    return f"api/{name}"


def all_pages() -> Iterator[str]:
    """Yield the pages of all namespaces, functions and classes."""
    for each in namespaces().values():
        yield page_of(each.name)
        yield from (page_of(f"{each.name}.{name}") for name in each.callables)

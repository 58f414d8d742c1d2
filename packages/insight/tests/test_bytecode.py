"""What byte code says about the variables that a function reads and writes."""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

import pytest

from treadle_insight.bytecode import facts_of

scale: Any = 1
options: Any = {}


def read(function: Callable[..., Any]) -> list[tuple[str, str, bool]]:
    """Return the path, the method and whether all is read, of each read of a function."""
    reads = facts_of(function.__code__).reads
    return [(str(each.path), each.method, each.whole) for each in reads]


def written(function: Callable[..., Any]) -> list[tuple[str, str, str]]:
    """Return what each store of a function is about."""
    stores = facts_of(function.__code__).stores
    return [(each.root, each.name, str(each.owner)) for each in stores]


def test_paths_of_what_is_read() -> None:
    k: Any = 3

    assert read(lambda x: x * scale) == [("scale", "", False)]
    assert read(lambda x: x * k) == [("k", "", False)]
    assert read(lambda self: self.a.b * 2) == [("self.a.b", "", False)]
    assert read(lambda x: options["lr"][0] * x) == [("options['lr'][0]", "", False)]
    assert read(lambda self, x: self.items.append(x)) == [("self.items", "append", False)]
    assert read(lambda i: options[i]) == [("options", "", True)]
    assert read(lambda: [2 * each for each in options])[0] == ("options", "", True)
    assert read(lambda x: x) == []


def test_locals_are_nothing() -> None:
    def f(x: Any) -> Any:
        found = []
        found.append(x)
        y = found[0]
        y.a = 2
        return (), y

    assert read(f) == []
    assert written(f) == []


def test_what_is_written() -> None:
    k: Any = 3

    def f(self: Any, x: Any) -> None:
        global scale
        nonlocal k
        scale = x
        k += 1
        self.n += 1
        self.a.b = x
        self.both = scale.c = x

    assert written(f) == [
        ("global", "scale", "None"),
        ("free", "k", "None"),
        ("attribute", "n", "self"),
        ("attribute", "b", "self.a"),
        ("attribute", "both", "self"),
        ("attribute", "c", "scale"),
    ]


@pytest.mark.parametrize("name", ["ast", "dataclasses", "decimal", "inspect", "typing"])
def test_all_code_can_be_read(name: str) -> None:
    text = inspect.getsource(importlib.import_module(name))
    waiting = [compile(text, name, "exec")]
    while waiting:
        code = waiting.pop()
        facts = facts_of(code)
        assert all([0 <= each.offset < len(code.co_code) for each in facts.reads])
        assert facts.arguments <= set(code.co_varnames)
        waiting += [each for each in code.co_consts if isinstance(each, types.CodeType)]

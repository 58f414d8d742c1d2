"""A class that is a node, or a leaf, is freed when its program has dropped it, whatever was done with its values."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import treadle
from conformance.kept.classes import CLASSES, USES, doubled

pytestmark = [pytest.mark.xla]
N = 2


def classes_of(tree: Any) -> list[type]:
    """The classes in a tree that this package made."""
    found: dict[type, None] = {}
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            todo += node.values()
        elif isinstance(node, list | tuple):
            todo += node
        if type(node).__module__.startswith("conformance.") or hasattr(node, "_fields"):
            found[type(node)] = None
    return [*found]


@pytest.mark.parametrize("how", CLASSES)
def test_classes_are_freed(how: str) -> None:
    kept = []
    for name, use in USES.items():
        alive = [each for _ in range(N) for each in used(how, use)]
        assert len(alive) >= N
        gc.collect()
        kept += [name for each in alive if each() is not None]
    assert kept == []


def used(how: str, use: Any) -> list[weakref.ref[type]]:
    tree = CLASSES[how]()
    use(tree)
    return [weakref.ref(each) for each in classes_of(tree)]


def test_a_function_that_stays_keeps_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its signatures name structures, and have a bound."""
    monkeypatch.setattr("treadle_runtime.jitting.caches.MOST_SIGNATURES", 4)
    function = treadle.jit(lambda tree: doubled(tree))
    alive = [each for _ in range(12) for each in used("by_functions", function)]
    gc.collect()
    assert len([each for each in alive if each() is not None]) <= 5
    function.clear_cache()
    gc.collect()
    assert [each for each in alive if each() is not None] == []

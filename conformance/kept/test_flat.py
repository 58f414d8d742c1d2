"""Whatever a program makes again in each round, the number of live objects is constant once caches are full.

Counted are all objects that the garbage collector tracks, by their types; classes are among them, and memory inside
jaxlib is not. Bounds of caches are set to a few entries, so that rounds reach them at once.
"""

from __future__ import annotations

import functools
import gc
import importlib
from collections import Counter, deque
from typing import Any

import pytest

from conformance.kept.new_each_time import FAMILIES
from treadle_ir import ArrayType
from treadle_runtime import Placement

pytestmark = [pytest.mark.xla]
FEW = 4  # entries of each cache
FIRST = 8  # rounds until all of them are full
MORE = 40  # rounds that may leave nothing; a table that is cleared when it is full may leave less than one each
BOUNDS = {
    "treadle_ir.tracing.memo.MOST_DERIVED",
    "treadle_ir.core.typing._LIMIT",
    "treadle_ir.tree.registry.MOST_CACHED",
    "treadle_numpy.operands.plans._KEPT",
    "treadle_runtime.evaluation.composites.MOST_COMPILED",
    "treadle_runtime.evaluation.composites._LIMIT",
    "treadle_runtime.evaluation.evaluator._LIMIT",
    "treadle_runtime.jitting.caches.MOST_SIGNATURES",
    "treadle_runtime.jitting.caches._MOST_RECENT",
}


@pytest.fixture(autouse=True)
def few_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    for bound in BOUNDS:
        module, name = bound.rsplit(".", 1)
        monkeypatch.setattr(importlib.import_module(module), name, FEW)
    monkeypatch.setattr("treadle_compiler.compile._recent", deque(maxlen=FEW))


def live(caches: list[Any]) -> Counter[str]:
    """Count the live objects of each type."""
    ArrayType._recent.clear()
    for each in (*caches, *gc.get_objects()):  # what has a bound of thousands of small entries
        if isinstance(each, Placement):
            each._recent.clear()
        elif isinstance(each, functools._lru_cache_wrapper) and each.cache_parameters()["maxsize"]:
            each.cache_clear()
    gc.collect()
    gc.collect()  # what executables held goes with them
    return Counter([type(each).__qualname__ for each in gc.get_objects()])


@pytest.mark.parametrize("name", FAMILIES)
def test_live_objects_are_flat(name: str, only_new_objects: list[Any]) -> None:
    act = FAMILIES[name]()
    for number in range(FIRST):
        act(number)
    before = live(only_new_objects)
    for number in range(FIRST, FIRST + MORE):
        act(number)
    grown = {
        kind: count for kind, count in (live(only_new_objects) - before).items() if count >= MORE
    }
    assert grown == {}

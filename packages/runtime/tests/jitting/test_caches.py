from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from treadle_ir.settings import current_context
from treadle_ir.tracing import Signature
from treadle_ir.tree import tree_structure
from treadle_runtime.jitting import caches
from treadle_runtime.jitting.caches import FunctionCache
from treadle_runtime.jitting.statics import Identity


class Static:
    """A static argument that is equal to itself alone."""


def signature(*statics: Any) -> Signature:
    """Return a signature of static arguments only. Any: values of users."""
    return Signature(current_context().key, tree_structure(()), statics, ())


@pytest.fixture
def quick_switches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    monkeypatch.setattr(caches, "MOST_SIGNATURES", 128)
    yield
    sys.setswitchinterval(before)


def test_threads_may_keep_signatures_at_once(quick_switches: None) -> None:
    cache = FunctionCache()
    errors: list[BaseException] = []

    def keep_some(thread: int) -> None:
        table: dict[Any, Any] = cache.calls
        try:
            for number in range(400):
                cache.keep(table, signature(thread, number), object())
                # The object dies at once, so that its key is looked for when the next one is kept.
                dying = Identity(Static(), cache.gone)
                cache.keep(table, signature(thread, number, dying), object())
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=keep_some, args=(i,)) for i in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not errors
    assert len(cache.calls) <= 128 + 4


def test_signatures_of_objects_that_are_gone_go_and_others_stay() -> None:
    cache = FunctionCache()
    table: dict[Any, Any] = cache.calls
    alive, dying = Static(), Static()
    cache.keep(table, signature(Identity(alive, cache.gone)), 1)
    cache.keep(table, signature(Identity(dying, cache.gone)), 2)
    del dying
    cache.keep(table, signature("another"), 3)
    assert [*table.values()] == [1, 3]

"""Tables of eager operations keep few compiled programs, however many entries they have."""

from __future__ import annotations

import gc
import importlib
from collections import deque
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_compiler import LoadedExecutable
from treadle_ir.calling import composed
from treadle_ir.events import ProgramCompiled, listening
from treadle_runtime import from_host
from treadle_runtime.arrays.array import elements_of
from treadle_runtime.evaluation import composites
from treadle_runtime.evaluation.composites import keep_compiled

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has
MOST = 3


@composed
def scaled(x: Any) -> Any:
    return ops.exponential(ops.sine(ops.add(x, x)))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composites, "MOST_COMPILED", MOST)
    compiling = importlib.import_module("treadle_compiler.compile")
    monkeypatch.setattr(compiling, "_recent", deque(maxlen=1))


def alive() -> int:
    gc.collect()
    return sum(isinstance(each, LoadedExecutable) for each in gc.get_objects())


@pytest.mark.parametrize("function", [ops.erf, scaled], ids=["operation", "composed"])
def test_compiled_programs_are_bounded(function: Any) -> None:
    treadle_ir.tracing.current_evaluator().clear()  # type: ignore[attr-defined]  # the runtime's
    before = alive()
    shapes = range(200_001, 200_009)
    for size in shapes:
        function(from_host(np.full(size, 0.5, np.float32)))
    assert alive() - before <= MOST + 1
    heard: list[object] = []
    with listening(lambda event: heard.append(event)):
        function(from_host(np.full(shapes[-1], 0.5, np.float32)))
        assert not any(isinstance(event, ProgramCompiled) for event in heard)  # the last is kept
        again = function(from_host(np.full(shapes[0], 0.5, np.float32)))
    assert any(isinstance(event, ProgramCompiled) for event in heard)
    small = function(from_host(np.full(3, 0.5, np.float32)))
    np.testing.assert_allclose(elements_of(again)[:3], elements_of(small), rtol=1e-6)


def test_the_oldest_entries_go() -> None:
    table: dict[tuple[Any, ...], Any] = {(k,): k for k in range(8)}
    compiled: dict[tuple[Any, ...], None] = {}
    for k in (1, 5, 2, 7, 0):
        keep_compiled(table, compiled, (k,))
    assert [*compiled] == [(2,), (7,), (0,)]
    assert sorted(table.values()) == [0, 2, 3, 4, 6, 7]
    table.clear()
    keep_compiled(table, compiled, (9,))  # where the table was emptied meanwhile
    assert [*compiled] == [(7,), (0,), (9,)]

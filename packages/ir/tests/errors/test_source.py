"""Where operations come from: lines, scopes, and the equations that are interpreted again."""

from __future__ import annotations

import linecache
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

from treadle_ir import ArrayType, Program, interpret, named_scope, ops, stage
from treadle_ir.errors import source
from treadle_ir.tracing import Tracer

F32 = ArrayType((), np.dtype(np.float32))


def body(x: Tracer) -> list[object]:
    return [ops.sine(x)]  # the line of the sine


def sources(program: Program) -> list[source.Source]:
    return [equation.source for equation in program.equations]


def test_what_is_interpreted_keeps_its_lines_and_scopes() -> None:
    def scoped(x: Tracer) -> list[object]:
        with named_scope("named"):
            return body(x)

    inner = stage(scoped, F32).program  # type: ignore[arg-type]
    outer = stage(lambda x: interpret(inner, x), F32).program
    (found,) = sources(outer)
    assert "the line of the sine" in found.show()
    assert found.scope == "named"


def test_a_program_that_is_staged_in_a_scope_has_scopes_of_its_own() -> None:
    def nesting(x: Tracer) -> list[object]:
        with named_scope("outer"):
            (inner,) = sources(stage(body, F32).program)  # type: ignore[arg-type]
            assert inner.scope == ""
            return body(x)

    (found,) = sources(stage(nesting, F32).program)  # type: ignore[arg-type]
    assert found.scope == "outer"
    assert source.place.get() is None


def test_threads_may_be_in_one_scope_at_once() -> None:
    scope = named_scope("shared")
    entered, left = threading.Event(), threading.Event()

    @scope
    def first() -> None:
        entered.set()
        assert second_entered.wait(10)

    second_entered = threading.Event()

    @scope
    def second() -> None:
        second_entered.set()
        assert left.wait(10)

    def other() -> source.Place | None:
        assert entered.wait(10)
        second()
        return source.place.get()

    with ThreadPoolExecutor(1) as pool, named_scope("outer"):
        found = pool.submit(other)
        first()
        here = source.place.get()
        left.set()
        assert here is not None
        assert here.scope == "outer"
        assert found.result() is None


def test_a_place_in_another_scope() -> None:
    (plain,) = sources(stage(body, F32).program)  # type: ignore[arg-type]
    moved = source.rescoped(plain, "a/b")
    assert (moved.scope, moved.line) == ("a/b", plain.line)
    assert source.rescoped(plain, "") is plain
    assert source.rescoped(source.NOWHERE, "a") is source.NOWHERE


def test_a_cell_of_a_notebook_has_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Compiler:
        def format_code_name(self, name: str) -> tuple[str, str] | None:
            return ("Cell", "In[3]") if name.endswith("1219657412.py") else None

    class Shell:
        compile = Compiler()

    notebook = ModuleType("IPython")
    notebook.get_ipython = Shell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    assert source.short_name("/tmp/ipykernel_7/1219657412.py") == "In[3]"
    assert source.short_name("/home/me/train.py") == "train.py"
    notebook.get_ipython = lambda: None  # type: ignore[attr-defined]  # imported, and not running
    assert source.short_name("/tmp/ipykernel_7/1219657412.py") == "1219657412.py"


def test_kinds_of_files() -> None:
    kind = source.kind_of_file
    assert kind(source.__file__) == "ours"
    assert kind(linecache.__file__) == "standard"
    assert kind("<frozen importlib._bootstrap>") == kind("<string>") == "standard"
    assert kind(np.__file__) == "installed"
    assert kind(__file__) == kind("<ipython-input-1-abc>") == "user"

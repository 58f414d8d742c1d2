"""`clear_caches`, the cache of compiled programs on disk, effort of the compiler, arrays that are alive."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import weakref
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.programs_pool import POOL
from treadle.cache_clearing import CACHES
from treadle.errors import ArgumentError, CacheError, CacheWarning
from treadle.experimental.compilation_cache import compilation_cache
from treadle_ir.events import FunctionStaged, listening
from treadle_ir.tracing import ROOT

CELLS = Path(__file__).parent.parent.parent / "docs/cells.md"


def results() -> list[Any]:
    found = []
    for pooled in POOL.values():
        arguments = treadle.tree.map(tnp.asarray, pooled.arguments)
        for function in (pooled.program, treadle.jit(pooled.program)):
            found += [np.asarray(leaf) for leaf in treadle.tree.leaves(function(*arguments))]
    return found


def test_after_clearing_caches_are_empty_and_results_equal() -> None:
    before = results()
    treadle.clear_caches()
    for module, cells in CACHES.items():
        for cell in cells.split():
            if module in sys.modules:
                found = attrgetter(cell)(sys.modules[module])
                size = found.cache_info().currsize if hasattr(found, "cache_info") else len(found)
                assert not size, f"{module}: {cell}"
    assert not ROOT.evaluator._operations  # type: ignore[attr-defined]
    after = results()
    assert all(
        x.dtype == y.dtype and np.array_equal(x, y, equal_nan=True)
        for x, y in zip(before, after, strict=True)
    )


def test_every_cache_that_is_listed_is_cleared() -> None:
    """The rows of docs/cells.md that are caches, and the table of what `clear_caches` clears, are the same."""
    listed = set()
    section = ""
    for line in CELLS.read_text().splitlines():
        if line.startswith("## "):
            section = line
        row = re.match(r"\| `([\w.]+): ([\w.]+)` \| ([^|]*) \|", line)
        if row and section.startswith(("## Compiled", "## Values")) and "bounded" in row[3]:
            listed.add((row[1], row[2]))
    elsewhere = {  # by functions of their modules; and a rule table's look-ups
        ("treadle_compiler.compile", "_recent"),
        ("treadle_runtime.evaluation.limits", "host_limits"),
    }
    cleared = {(module, cell) for module, cells in CACHES.items() for cell in cells.split()}
    assert listed - elsewhere <= cleared


def test_jitted_functions_are_traced_again() -> None:
    f = treadle.jit(lambda x: x * 2)
    f(1.0)
    treadle.clear_caches()
    staged: list[Any] = []
    with listening(staged.append):
        f(1.0)
        f(1.0)
    assert len([event for event in staged if isinstance(event, FunctionStaged)]) == 1


def test_programs_and_executables_are_let_go(programs: list[Any]) -> None:
    f = treadle.jit(lambda x: tnp.sin(x) * 1.75)
    f(1.0)
    (call,) = f.cache.calls.values()
    program = weakref.ref(call.traced.program)
    executable = weakref.ref(call.launch.executable)
    del call
    programs.clear()  # the suite's own list
    assert program() is not None
    treadle.clear_caches()
    assert program() is None
    assert executable() is None


def test_arrays_stay() -> None:
    x = tnp.ones(3)
    treadle.clear_caches()
    assert (x + 1)[0] == 2


def entries(folder: Path) -> int:
    return len([*folder.glob("*.xla")])


def compiled(number: float) -> None:
    treadle.jit(lambda x: tnp.cos(x) * number)(1.0)


def test_the_disk_cache_by_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREADLE_CACHE", raising=False)
    compilation_cache.reset_cache()
    folder = tmp_path / "programs"
    compilation_cache.set_cache_dir(folder)
    compiled(1.03125)
    assert entries(folder) == 1
    for setting, value in {
        "persistent_cache_min_compile_time_secs": 1000,
        "persistent_cache_min_entry_size_bytes": 1 << 30,
        "compilation_cache_max_size": 10,
        "enable_compilation_cache": False,
    }.items():
        before = treadle.config.read(setting)
        treadle.config.update(f"jax_{setting}", value)
        compiled(2.03125)
        assert entries(folder) == 1, setting
        treadle.config.update(f"jax_{setting}", before)
        treadle.clear_caches()
    compiled(2.03125)
    assert entries(folder) == 2


def test_a_folder_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREADLE_CACHE", raising=False)
    (tmp_path / "file").write_text("")
    compilation_cache.set_cache_dir(tmp_path / "file")
    with pytest.warns(CacheWarning, match="is not a folder"):
        compiled(3.03125)
    compilation_cache.reset_cache()
    treadle.config.update("jax_raise_persistent_cache_errors", True)
    with pytest.raises(CacheError, match="is not a folder"):
        compiled(4.03125)


def options() -> Any:
    return treadle.jit(lambda x: x + 1).lower(1.0).compile()._call.launch.executable.options


def test_efforts_of_the_compiler() -> None:
    assert options().level == 0
    for level, effort in {"O0": "quick", "O1": "light", "O3": "full"}.items():
        treadle.config.update("jax_optimization_level", level)
        assert options().effort == effort
    treadle.config.update("jax_optimization_level", "UNKNOWN")
    treadle.config.update("jax_memory_fitting_level", "O3")
    assert options().memory_fitting
    treadle.config.update("jax_disable_most_optimizations", True)
    assert ("xla_llvm_disable_expensive_passes", True) in options().flags
    with pytest.raises(ArgumentError, match="is none of"):
        treadle.config.update("jax_optimization_level", "O7")


@pytest.mark.cpu
def test_live_arrays() -> None:
    gc.collect()
    x = tnp.ones(12345)
    mine = [each for each in treadle.live_arrays() if each.shape == (12345,)]
    assert len(mine) == 1
    assert mine[0] is x
    assert any(each is x for each in treadle.live_arrays("cpu"))
    assert not treadle.live_arrays("tpu")
    x.delete()
    mine.clear()
    assert not [each for each in treadle.live_arrays() if each.shape == (12345,)]


class Node:
    array: Any
    itself: Any


def test_arrays_in_reference_cycles_are_told_of(caplog: pytest.LogCaptureFixture) -> None:
    def cycle() -> None:
        node = Node()
        node.itself, node.array = node, tnp.ones((7, 3))

    with treadle.array_garbage_collection_guard("log"):
        cycle()
        gc.collect()
        assert "freed by the garbage collector" in caplog.text
        assert "f32[7,3]" in caplog.text
        caplog.clear()
        tnp.ones((7, 3))  # freed as soon as nothing refers to it
        gc.collect()
        assert not caplog.text
    cycle()
    gc.collect()
    assert not caplog.text


FATAL = """
import gc, treadle, treadle.numpy as tnp
class Node: pass
treadle.config.update("jax_array_garbage_collection_guard", "fatal")
node = Node()
node.itself, node.array = node, tnp.ones(5)
del node
gc.collect()
print("still here")
"""


def test_arrays_in_reference_cycles_may_end_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", FATAL], capture_output=True, text=True)
    assert done.returncode != 0
    assert not done.stdout
    assert "1 arrays were freed by the garbage collector" in done.stderr

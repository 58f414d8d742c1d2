"""Ctrl-C: KeyboardInterrupt comes out, the process goes on, the same call works, and the caches are intact.

When it comes out: at once while Python runs (staging, lowering, the user's callbacks, waiting for another thread); at
the end of what XLA is doing while it compiles, executes, or is waited for, since nothing in XLA can be broken off; and
at the end of the import while jaxlib or a part of treadle is imported.
"""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
import treadle_ir
from conformance.faults.inside import (
    InterruptAt,
    SignalOnImport,
    compiled_programs,
    in_child,
    interrupt_after,
)
from conformance.faults.process import run
from treadle.experimental import io_callback
from treadle_compiler import DiskCache

# ---- Python: tracing, transformations, lowering, eager work


def at_every_point() -> None:
    """Calls are interrupted at each point where Python looks for signals, and made again each time."""
    values = np.arange(4, dtype=np.float32)
    sys.unraisablehook = lambda _: (
        None
    )  # Python prints of interrupts that come in a weak reference's callback

    @treadle.custom_vjp
    def sine(x: Any) -> Any:
        return tnp.sin(x)

    sine.defvjp(lambda x: (tnp.sin(x), x), lambda x, ct: (ct * tnp.cos(x),))
    # The functions are made for each call, so that each is traced again.
    calls = {
        "jit": lambda: treadle.jit(lambda x: (tnp.sin(x) * x).sum())(values),
        "grad": lambda: treadle.grad(lambda x: (tnp.sin(x) * x).sum())(values),
        "vmap": lambda: treadle.vmap(lambda x: x * 2 + tnp.sin(x))(values),
        "jvp": lambda: treadle.jvp(lambda x: (tnp.sin(x) * x).sum(), (values,), (values,)),
        "linearize": lambda: treadle.linearize(lambda x: tnp.sin(x) * x, values)[1](values),
        "custom_vjp": lambda: treadle.grad(lambda x: sine(x).sum())(values),
        "scan": lambda: treadle.lax.scan(lambda c, x: (c + x, c * x), 0.0, values),
        "make_jaxpr": lambda: str(treadle.make_jaxpr(lambda x: tnp.sin(x) * x)(values)),
        "eager": lambda: (tnp.asarray(values) * 2 + 1)[1:3].sum(),
    }
    wrong = []
    for name, call in calls.items():

        def results(call: Any = call) -> list[str]:
            return list(map(repr, treadle.tree.leaves(call())))

        expected = results()
        number = 0
        while True:
            interrupt = InterruptAt(number)
            interrupt.run(call)
            if not interrupt.where:
                break
            if treadle_ir.tracing.current_trace() is not treadle_ir.tracing.ROOT:
                wrong.append(f"{name}, {interrupt.where}: a trace stays current")
                treadle_ir.tracing.set_current(treadle_ir.tracing.ROOT)
            if results() != expected:
                wrong.append(f"{name}, {interrupt.where}: the next call gives {results()}")
            number += 1
        assert number > 30, name
    assert not wrong, "\n".join(wrong)


def test_an_interrupt_at_every_point_of_a_call(tmp_path: Path) -> None:
    run(at_every_point, cache=tmp_path, seconds=90)


def during_import(module: str) -> None:
    """Ctrl-C comes while a part of treadle or of jaxlib is imported, which happens on first use."""
    finder = SignalOnImport(module)
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]

    def use() -> Any:
        slope = treadle.jit(treadle.grad(lambda x: (tnp.tanh(x) ** 2).sum()))
        rows = treadle.jit(treadle.vmap(slope))(np.ones((3, 2), np.float32))
        shown = treadle.jit(lambda x: treadle.pure_callback(lambda v: v, x, x))(rows)
        return np.asarray(shown).sum()

    try:
        use()
    except KeyboardInterrupt:
        assert finder.sent
    else:
        raise AssertionError(f"{module}: imported {finder.sent}, and no KeyboardInterrupt")
    value = use()
    assert abs(value - 6 * 2 * np.tanh(1) / np.cosh(1) ** 2) < 1e-5, value
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        return
    raise AssertionError("Ctrl-C has no effect any more")


@pytest.mark.parametrize(
    "module",
    [
        "jaxlib",
        "jaxlib._jax",
        "jaxlib.mlir.dialects.stablehlo",
        "treadle_autodiff.rules.elementwise",
        "treadle_compiler.lowering.shape",
    ],
)
def test_an_interrupt_during_a_late_import(module: str) -> None:
    run(during_import, module)


# ---- XLA: compiling, executing, waiting


def during_compilation(threads: int) -> None:
    """Ctrl-C comes while XLA compiles, and other threads wait for the result."""

    def deep(x: Any) -> Any:
        for i in range(60):
            x = tnp.sin(x) @ tnp.cos(x) + i
        return x

    x = tnp.ones((4, 4))
    started = time.monotonic()
    expected = np.asarray(treadle.jit(lambda x: deep(x) * 2, roll="off")(x))
    alone = time.monotonic() - started  # tracing and compiling
    function = treadle.jit(lambda x: deep(x) + deep(x), roll="off")  # a loop compiles at once
    results: list[Any] = []

    def wait_for_it() -> None:
        time.sleep(0.2)
        results.append(np.asarray(function(x)))

    waiting = [threading.Thread(target=wait_for_it) for _ in range(threads)]
    for thread in waiting:
        thread.start()
    interrupt = interrupt_after(0.3)
    started = time.monotonic()
    try:
        function(x)
    except KeyboardInterrupt:
        took = time.monotonic() - started
    else:
        raise AssertionError("no interrupt")
    assert took < 4 * alone + 2, (took, alone)
    interrupt.join()
    for thread in waiting:
        thread.join(10 * alone + 5)
        assert not thread.is_alive(), "it waits for a thread that has been interrupted"
    results.append(np.asarray(function(x)))
    for result in results:
        np.testing.assert_allclose(result, expected, rtol=1e-3)


def test_an_interrupt_during_compilation(tmp_path: Path) -> None:
    run(during_compilation, 3, cache=tmp_path / "cache", seconds=60)
    cache = DiskCache(tmp_path / "cache", environ={})
    names = [path.stem for path in (tmp_path / "cache").glob("*.xla")]
    assert names
    assert all(cache.get(name) is not None for name in names)
    assert not list((tmp_path / "cache").glob(".tmp-*"))


def while_storing() -> None:
    """Ctrl-C comes while an entry of the disk cache is written."""
    write = os.write

    def interrupted(descriptor: int, data: Any) -> int:
        os.write = write
        done = write(descriptor, data[:100])
        signal.raise_signal(signal.SIGINT)
        return done

    os.write = interrupted
    try:
        compiled_programs(1)
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError("no interrupt")
    assert compiled_programs(2) == {"right": True, "from_disk": [False, False], "warnings": []}


def test_an_interrupt_while_an_entry_is_written(tmp_path: Path) -> None:
    run(while_storing, cache=tmp_path)
    assert {path.suffix for path in tmp_path.iterdir() if path.name != ".swept"} == {".xla"}


def during_execution() -> None:
    """Ctrl-C comes while a long program runs, and its result is waited for in one way or another."""
    loop = treadle.jit(
        lambda x, n: treadle.lax.fori_loop(0, n, lambda i, x: tnp.tanh(x @ x) * 0.5, x)
    )
    x = tnp.ones((200, 200))
    loop(x, 3).block_until_ready()
    started = time.monotonic()
    loop(x, 200).block_until_ready()
    times = int(200 * 0.5 / (time.monotonic() - started)) + 1  # for about half a second
    expected = np.asarray(loop(x, times))
    ways: dict[str, Any] = {
        "waiting": lambda y: y.block_until_ready(),
        "waiting for a tree": lambda y: treadle.block_until_ready([y, x]),
        "reading": np.asarray,
        "printing": repr,
        "using": lambda y: (y + 1).sum().block_until_ready(),
    }
    for way, wait in ways.items():
        interrupt = interrupt_after(0.1)
        started = time.monotonic()
        try:
            wait(loop(x, times))
        except KeyboardInterrupt:
            took = time.monotonic() - started
        else:
            raise AssertionError(f"{way}: no interrupt")
        interrupt.join()
        assert took < 10, (way, took)
        np.testing.assert_array_equal(np.asarray(loop(x, times)), expected)


def test_an_interrupt_during_execution() -> None:
    run(during_execution, seconds=60)


def while_reading() -> None:
    """Ctrl-C comes while what would take minutes is waited for, in each way; each in a child that starts XLA."""
    ways: dict[str, Any] = {
        "block_until_ready": lambda y: y.block_until_ready(),
        "asarray": np.asarray,
        "array": np.array,
        "repr": repr,
        "str": str,
        "format": lambda y: f"{y}",
        "tolist": lambda y: y.tolist(),
        "float": lambda y: float(y[0, 0]),
        "item": lambda y: y.sum().item(),
        "bool": lambda y: bool((y > 0).all()),
        "iterating": lambda y: [*y],
        "device_get": treadle.device_get,
        "bfloat16": lambda y: np.asarray(y.astype(tnp.bfloat16)),
        "pickling": pickle.dumps,
        "copying": copy.deepcopy,
        "dlpack": np.from_dlpack,
        "the address": lambda y: y.unsafe_buffer_pointer(),
        "eager work": lambda y: np.asarray(y + 1),
        "a NumPy function": lambda y: np.sum(np.asarray(y)),
    }

    def is_soon(wait: Any) -> bool:
        loop = treadle.jit(
            lambda x: treadle.lax.fori_loop(0, 10**7, lambda i, x: tnp.tanh(x @ x), x)
        )
        y = loop(np.ones((100, 100), np.float32))
        interrupt_after(0.1)
        started = time.monotonic()
        try:
            wait(y)
        except KeyboardInterrupt:
            return time.monotonic() - started < 5
        return False

    def asked(wait: Any) -> str:
        return str(in_child(lambda: is_soon(wait), 8))

    slow = {name: asked(wait) for name, wait in ways.items()}
    wrong = {name: outcome for name, outcome in slow.items() if outcome != "returned True"}
    assert not wrong, wrong


def test_an_interrupt_while_a_result_is_read() -> None:
    run(while_reading, seconds=200)


# ---- callbacks


def during_callback(when: str) -> None:
    """Ctrl-C comes while a program calls back, or just before it does."""
    hear: list[str] = []

    def called(v: Any) -> Any:
        if hear and when == "inside":
            time.sleep(5)
        return np.asarray(v) + 1

    def program(kind: str) -> Any:
        def function(x: Any) -> Any:
            y = x
            if when == "before":
                # XLA computes for a while, and Python first looks for signals when it is called back.
                start = tnp.ones((200, 200)) * x[0]
                y = treadle.lax.fori_loop(0, 2000, lambda i, y: tnp.tanh(y @ y) * 0.5, start)[0, :3]
            if kind == "pure":
                return treadle.pure_callback(called, x, x + y) * 2
            if kind == "debug":
                treadle.debug.callback(called, x + y)
                return x * 2
            return io_callback(called, x, x + y, ordered=kind == "ordered") * 2

        return treadle.jit(function)

    x = tnp.ones(3)
    for kind in ("pure", "unordered", "ordered", "debug"):
        compiled = program(kind)
        expected = np.asarray(compiled(x))
        hear.append("now")
        interrupt = interrupt_after(0.05)
        started = time.monotonic()
        try:
            treadle.block_until_ready(compiled(x))
            treadle.effects_barrier()
        except KeyboardInterrupt:
            took = time.monotonic() - started
        else:
            raise AssertionError(f"{kind}: no interrupt")
        assert took < 4, (kind, took)
        interrupt.join()
        hear.clear()
        np.testing.assert_array_equal(np.asarray(compiled(x)), expected)


@pytest.mark.parametrize("when", ["inside", "before"])
def test_an_interrupt_around_a_callback(when: str) -> None:
    run(during_callback, when, seconds=60)

"""A forked child: `ForkError` at once from everything that needs XLA, and the rest works as in the parent."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
import treadle_runtime
from conformance.faults.inside import doubled, in_child, wrong_in_children
from conformance.faults.process import outcome, run
from treadle.experimental import io_callback

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def needs_xla(busy: bool) -> None:
    """Every entry point that needs XLA, in a child of a process that has used it, and may be using it."""
    device = treadle.devices()[0]
    double = treadle.jit(lambda x: x * 2)
    named = treadle.jit(lambda x, *, scale: x * scale)
    static = treadle.jit(lambda x, n: x * n, static_argnums=1)
    donating = treadle.jit(lambda x: x + 1, donate_argnums=0)
    tree = treadle.jit(lambda d: {"a": d["a"] + d["b"]})
    slope = treadle.jit(treadle.grad(lambda x: (x * x).sum()))
    many = treadle.jit(lambda *xs: sum(xs))

    def shouted(x: Any) -> Any:
        return treadle.pure_callback(lambda v: v + 1, x, x)

    def ordered(x: Any) -> Any:
        io_callback(lambda v: None, None, x, ordered=True)
        return x

    def looked_at(x: Any) -> Any:
        treadle.debug.callback(lambda v: None, x)
        return x * 2

    pure, effect, debug = treadle.jit(shouted), treadle.jit(ordered), treadle.jit(looked_at)
    small = tnp.ones(3)
    on_device = double(np.ones((300, 300), np.float32))  # its elements are on the device only
    big = tnp.ones((1 << 21) + 1)  # eager work of this size goes to XLA
    given = double(np.ones(5, np.float32))  # to be donated
    arrays = [double(float(i)) for i in range(20)]
    lowered = treadle.jit(lambda x: x - 1).lower(small)
    compiled = lowered.compile()
    for warm in (
        lambda: (
            double(small),
            double(2.0),
            double(np.ones(3, np.float32)),
            named(small, scale=2.0),
        ),
        lambda: (static(small, 2), donating(double(small)), tree({"a": small, "b": 1.0})),
        lambda: (slope(small), many(*arrays), pure(small), effect(small), debug(small)),
        lambda: (big + 1, compiled(small)),
    ):
        treadle.block_until_ready(warm())
    heavy = treadle.jit(lambda x: sum([x @ x @ (x + i) for i in range(40)]))
    treadle.block_until_ready(heavy(on_device))
    stop: list[bool] = []
    threads: list[threading.Thread] = []
    if busy:

        def work() -> None:
            while not stop:
                treadle.block_until_ready(heavy(on_device))

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        time.sleep(0.05)
    pending = heavy(double(on_device))
    wrong = wrong_in_children(
        {
            "a call with an array": lambda: double(small),
            "a call with an array on the device": lambda: double(on_device),
            "a call whose result is dropped": lambda: (double(on_device), None)[1],
            "a call with a Python number": lambda: double(2.0),
            "a call with a new Python number": lambda: double(17.25),
            "a call with a NumPy array": lambda: double(np.ones(3, np.float32)),
            "a call with keywords": lambda: named(small, scale=2.0),
            "a call with static arguments": lambda: static(small, 2),
            "a call that donates": lambda: donating(given),
            "a call with a tree": lambda: tree({"a": small, "b": 1.0}),
            "a call with many arrays": lambda: many(*arrays),
            "a jitted gradient": lambda: slope(small),
            "a call with another signature": lambda: double(tnp.ones((2, 2))),
            "a new jit": lambda: treadle.jit(lambda x: x * 3 + tnp.cos(x))(2.0),
            "a new jit of what another has compiled": lambda: treadle.jit(lambda x: x * 2)(small),
            "a compiled call": lambda: compiled(small),
            "lower and compile": lambda: treadle.jit(lambda x: x * 5).lower(small).compile(),
            "compile again": lowered.compile,
            "the compiled program's text": compiled.as_text,
            "the compiled program's cost": compiled.cost_analysis,
            "the compiled program's memory": compiled.memory_analysis,
            "the compiled program, by jaxlib's method": lambda: (
                compiled.runtime_executable().serialize()
            ),
            "eager work on a large array": lambda: big + 1,
            "new eager work on a large array": lambda: tnp.sin(big),
            "devices": treadle.devices,
            "devices of a platform": lambda: treadle.devices("cpu"),
            "local_devices": treadle.local_devices,
            "device_count": treadle.device_count,
            "default_backend": treadle.default_backend,
            "a default device by name": lambda: treadle.default_device("cpu").__enter__(),
            "device_put": lambda: treadle.device_put(np.ones(3), device),
            "device_put of an array of the device": lambda: treadle.device_put(on_device, device),
            "device_put by name": lambda: treadle.device_put(small, "cpu"),
            "reading": lambda: np.asarray(on_device),
            "reading what is pending": lambda: np.asarray(pending),
            "printing": lambda: repr(on_device),
            "an element": lambda: float(on_device[0, 0]),
            "device_get": lambda: treadle.device_get({"a": on_device}),
            "eager work on an array of the device": lambda: on_device.sum(),
            "waiting": on_device.block_until_ready,
            "waiting for what is pending": pending.block_until_ready,
            "waiting for a tree": lambda: treadle.block_until_ready([pending, small]),
            "asking whether it is ready": pending.is_ready,
            "the address": on_device.unsafe_buffer_pointer,
            "deleting": pending.delete,
            "pickling": lambda: pickle.dumps(on_device),
            "copying": lambda: copy.deepcopy(on_device),
            "dlpack": lambda: on_device.__dlpack__(),
            "a callback": lambda: pure(small),
            "an ordered callback": lambda: effect(small),
            "a debug callback": lambda: debug(small),
            "a new callback": lambda: treadle.jit(lambda x: shouted(x) * 2)(small),
            "effects_barrier": treadle.effects_barrier,
        },
        "ForkError",
    )
    stop.append(True)
    for thread in threads:
        thread.join()
    assert not wrong, "\n".join(wrong)
    treadle.block_until_ready([pending, double(small)])  # the parent goes on


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_everything_that_needs_xla_raises_at_once(busy: bool) -> None:
    run(needs_xla, busy, seconds=120)


def needs_none(first_use: str) -> None:
    """Run code that needs no XLA, in a child of a process that has used XLA as `first_use` says."""
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    if first_use == "jit":
        treadle.jit(lambda x: x * 2)(host).block_until_ready()
    elif first_use == "devices":
        treadle.devices()
    else:
        (tnp.ones((1 << 21) + 1) + 1).block_until_ready()
    x = tnp.asarray(host)
    key = treadle.random.key(0)
    outer = treadle.jit(lambda x: tnp.tanh(x) * 2)

    def loss(w: Any) -> Any:
        return (tnp.tanh(x @ w) ** 2).sum()

    w = tnp.ones((3, 2))
    attempts = {
        "a new array": lambda: tnp.arange(5) + 1,
        "arithmetic": lambda: (x * 2 + 1).sum(),
        "linear algebra": lambda: x @ x.T,
        "sorting": lambda: tnp.sort(-x, axis=1),
        "indexing": lambda: (x[1], x.at[0, 0].set(7)),
        "random numbers": lambda: treadle.random.normal(key, (3,)),
        "grad": lambda: treadle.grad(loss)(w),
        "vmap": lambda: treadle.vmap(lambda row: row.sum())(x),
        "jvp": lambda: treadle.jvp(loss, (w,), (w,)),
        "staging": lambda: str(treadle.make_jaxpr(loss)(w)),
        "eval_shape": lambda: treadle.eval_shape(loss, w).shape,
        "tracing what is jitted": lambda: outer.trace(x).out_info.shape,
        "without jit": lambda: without_jit(),
        "reading": lambda: (np.asarray(x).tolist(), repr(x), float(x[0, 1]), x.tolist()),
        "pickling": lambda: pickle.loads(pickle.dumps(x)),
        "copying": lambda: copy.deepcopy(x),
        "waiting": lambda: (treadle.block_until_ready([x, w]), x.is_ready()),
        "device_get": lambda: treadle.device_get({"x": x}),
        "device_put to nowhere": lambda: treadle.device_put(host),
        "an eager callback": lambda: treadle.pure_callback(lambda v: v + 1, x, x),
        "errors": lambda: failed(),
    }

    def without_jit() -> Any:
        with treadle_runtime.disable_jit():
            return outer(x)

    def failed() -> str:
        try:
            x + tnp.ones((4, 4))
        except treadle.errors.ShapeError as error:
            return str(error)
        return "no error"

    wrong = []
    for name, attempt in attempts.items():
        outcome, expected = in_child(attempt), f"returned {attempt()!r}"[:150]
        if outcome != expected:
            wrong.append(f"{name}: {outcome} instead of {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("first_use", ["jit", "devices", "eager"])
def test_what_needs_no_xla_works_as_in_the_parent(first_use: str) -> None:
    run(needs_none, first_use)


def record_locks() -> None:
    """Note the locks that treadle makes, from before its import."""
    made: list[Any] = []
    sys.modules["recorded_locks"] = made  # type: ignore[assignment]  # where the scenario finds them

    def recording(kind: Any) -> Any:
        def make() -> Any:
            lock = kind()
            if sys._getframe(1).f_globals["__name__"].startswith("treadle"):
                made.append(lock)
            return lock

        return make

    threading.Lock, threading.RLock = recording(threading.Lock), recording(threading.RLock)  # type: ignore[misc]


def all_locks_held() -> None:
    """Every lock of treadle's is held by another thread when the process forks."""
    x = tnp.ones(3)
    double = treadle.jit(lambda x: x * 2)
    double(x).block_until_ready()
    called = treadle.jit(lambda x: treadle.pure_callback(lambda v: v, x, x))
    called(x).block_until_ready()
    locks: Any = sys.modules["recorded_locks"]
    assert len(locks) > 12
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        for lock in locks:
            lock.acquire(blocking=False)
        held.set()
        done.wait()
        os._exit(0)

    threading.Thread(target=hold, daemon=True).start()
    held.wait()

    def everything() -> list[str]:
        class New(tuple[()]):  # a type that no registry has seen
            pass

        results = [
            treadle.grad(lambda x: (x**3).sum())(tnp.ones((7, 3))).sum(),
            treadle.vmap(lambda x: x * 2)(tnp.arange(11.0)).sum(),
            treadle.tree.leaves(New()),
            treadle.jit(lambda x: x - 5).trace(tnp.ones((5, 4))).out_info.shape,
        ]
        for attempt in (
            lambda: double(x),
            lambda: double(tnp.ones(9)),
            lambda: called(x),
            lambda: treadle.devices("cpu"),
            lambda: treadle.device_put(x, "cpu"),
            treadle.effects_barrier,
        ):
            try:
                attempt()
            except RuntimeError as error:
                results.append(type(error).__name__)
        return list(map(str, results))

    outcome = in_child(everything)
    expected = ["63.0", "110.0", "[()]", "(5, 4)", *["ForkError"] * 6]
    assert outcome == f"returned {expected}"[:150], outcome
    done.set()


def test_locks_that_other_threads_held_are_free() -> None:
    run(all_locks_held, before=record_locks)


def held_by_a_maker() -> None:
    """Other threads trace and compile functions when the process forks."""
    started, done = threading.Event(), threading.Event()
    main = os.getpid()

    def slow(x: Any) -> Any:
        if os.getpid() == main:
            started.set()
            done.wait()
        return x * 2

    def deep(x: Any) -> Any:
        for i in range(60):
            x = tnp.sin(x) @ tnp.cos(x) + i
        return x

    traced, compiled = treadle.jit(slow), treadle.jit(deep)
    treadle.jit(lambda x: x)(1.0)
    treadle.jit(lambda x: deep(x)[:1]).lower(tnp.ones((4, 4)))
    threads = [
        threading.Thread(target=lambda: traced(3.0)),
        threading.Thread(target=lambda: compiled(tnp.ones((4, 4)))),
    ]
    for thread in threads:
        thread.start()
    started.wait()
    time.sleep(0.2)
    outcome = in_child(lambda: float(traced.trace(3.0).out_info.size))
    assert outcome == "returned 1.0", outcome
    wrong = wrong_in_children(
        {"traced": lambda: traced(3.0), "compiled": lambda: compiled(tnp.ones((4, 4)))}, "ForkError"
    )
    assert not wrong, "\n".join(wrong)
    done.set()
    for thread in threads:
        thread.join()


def test_what_other_threads_were_making_is_not_waited_for() -> None:
    run(held_by_a_maker, seconds=40)


def while_starting(delay: float) -> None:
    """Another thread imports jaxlib and starts the client when the process forks."""
    thread = threading.Thread(target=treadle.devices)
    thread.start()
    time.sleep(delay)
    outcome = in_child(lambda: treadle.jit(lambda x: x * 2)(2.0))
    # Either nothing had been started, and the child starts a client of its own; or it refuses.
    assert outcome.startswith(("returned Array(4.", "ForkError")), outcome
    thread.join()
    assert float(treadle.jit(lambda x: x * 2)(2.0)) == 4


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1, 0.2])
def test_a_start_of_another_thread_is_waited_for_or_refused(delay: float) -> None:
    run(while_starting, delay)


def slow_imports() -> None:
    """Have each import take a while, from before treadle is imported."""

    class Slow:
        def find_spec(self, name: str, path: Any, target: Any = None) -> None:
            time.sleep(0.01)

    for name in [*sys.modules]:
        if name.partition(".")[0] in ("logging", "traceback", "string"):
            del sys.modules[name]  # as in a process that has not needed it yet
    sys.meta_path.insert(0, Slow())  # type: ignore[arg-type]  # it finds nothing


def while_importing() -> None:
    """Another thread imports what the first trace and compilation need, and the process forks again and again."""

    def first() -> None:
        with treadle.log_compiles():  # which imports logging, with everything that it needs
            treadle.jit(lambda x: tnp.linalg.cholesky(x @ x.T))(tnp.eye(3)).block_until_ready()

    thread = threading.Thread(target=first)
    thread.start()
    outcomes = []
    while thread.is_alive():
        outcomes.append(in_child(lambda: float(treadle.jit(lambda x: x * 2)(2.0))))
        time.sleep(0.05)
    assert outcomes
    assert all(each.startswith(("returned 4.0", "ForkError")) for each in outcomes), outcomes


def test_a_fork_waits_for_imports_of_other_threads() -> None:
    output, errors, code = outcome(while_importing, before=slow_imports, seconds=100)
    assert code == 0, (output, errors)


def before_the_start() -> None:
    """A process that has imported treadle and done no more forks; both use XLA, and fork again."""
    x = tnp.arange(4.0) * 2

    def use() -> float:
        return float(treadle.jit(lambda x: (x * x).sum())(x))

    assert in_child(use) == "returned 56.0"
    assert use() == 56

    assert in_child(use).startswith("ForkError")
    assert in_child(lambda: in_child(use)).startswith("returned 'ForkError")
    assert in_child(lambda: in_child(lambda: float((x + 1).sum()))) == "returned 'returned 16.0'"


def test_a_fork_before_the_first_use_of_xla() -> None:
    run(before_the_start)


def ends(how: str) -> None:
    """A child that releases all its arrays, and ends as a Python process does."""
    x = treadle.jit(lambda x: x @ x)(np.ones((200, 200), np.float32))
    heavy = treadle.jit(lambda x: sum([x @ x @ (x + i) for i in range(40)]))
    pending = heavy(x)
    child = os.fork()
    if child == 0:
        if how == "interrupted":
            signal.raise_signal(signal.SIGINT)
        if how == "releasing":
            del x, heavy, pending
            gc.collect()
        sys.exit(0)
    limit = time.monotonic() + 10
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        assert time.monotonic() < limit, "HANGS"
        time.sleep(0.01)
    print(ended[1], file=sys.__stdout__)
    assert np.isfinite(np.asarray(pending)).all()


@pytest.mark.parametrize("how", ["at once", "releasing"])
def test_a_child_ends_as_any_process(how: str) -> None:
    assert run(ends, how) == "0"


def workers() -> None:
    """The pools of the standard library: forked workers refuse, and the workers that the advice recommends work."""
    value = np.float32(3)
    assert doubled(value) == 6
    results = {}
    for method in ("fork", "spawn", "forkserver"):
        with ProcessPoolExecutor(1, get_context(method)) as pool:
            try:
                results[method] = str(pool.submit(doubled, value).result(timeout=20))
            except treadle.errors.TreadleError as error:
                results[method] = f"{type(error).__name__} {' '.join(error.__notes__)}"
    assert results["fork"].startswith("ForkError"), results
    assert "spawn" in results["fork"], results
    assert results["spawn"] == results["forkserver"] == "6.0", results
    print("ok")


def test_pools_of_workers() -> None:
    assert run(workers, seconds=60) == "ok"


def stored() -> None:
    """Compile a program, which then is on disk."""
    treadle.jit(lambda x: x * 3)(2.0).block_until_ready()


def read_from_disk() -> None:
    """A program that another process has stored is met by a child."""
    treadle.jit(lambda x: x + 1)(2.0).block_until_ready()
    found = in_child(lambda: treadle.jit(lambda x: x * 3)(2.0))
    assert found.startswith("ForkError"), found
    assert float(treadle.jit(lambda x: x * 3)(2.0)) == 6


def test_a_program_on_disk(tmp_path: Path) -> None:
    for scenario in (stored, read_from_disk, read_from_disk):
        run(scenario, cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache").glob("*.xla"))) == 2

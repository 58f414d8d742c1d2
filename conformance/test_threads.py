"""Threads trace and call at once: results are bit for bit the same, and each signature is traced once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.programs_pool import POOL
from treadle import random

pytestmark = pytest.mark.installed

THREADS: Final = 8
ROUNDS: Final = 5

X: Final = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def at_once(function: Callable[[int], Any], threads: int = THREADS) -> list[Any]:
    """Run a function in all threads, which set off together; the results by thread."""
    barrier = threading.Barrier(threads)

    def run(index: int) -> Any:
        barrier.wait()
        return function(index)

    with ThreadPoolExecutor(threads) as pool:
        return [
            future.result(timeout=300) for future in [pool.submit(run, i) for i in range(threads)]
        ]


def bits(tree: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in treadle.tree.leaves(tree)]


def body(x: Any) -> Any:
    return tnp.tanh(x @ x.T).sum() * tnp.sin(x)


def test_one_jitted_function_is_first_called_by_all() -> None:
    for _ in range(ROUNDS):
        traced = []

        @treadle.jit
        def function(x: Any) -> Any:
            traced.append(threading.get_ident())  # noqa: B023 - called within this round
            return body(x)

        results = at_once(lambda _: bits(function(X)))
        assert len(traced) == 1
        assert all(result == results[0] for result in results)
        assert results[0] == bits(treadle.jit(body)(X))


def test_one_jitted_function_with_several_signatures() -> None:
    traced = []

    @treadle.jit
    def function(x: Any) -> Any:
        traced.append(x.shape)
        return body(x)

    def calls(index: int) -> list[list[bytes]]:
        order = np.random.default_rng(index).permutation(3)
        results = {int(i): bits(function(X[: i + 1])) for i in order}
        return [results[i] for i in range(3)]

    results = at_once(calls)
    assert sorted(traced) == [(1, 4), (2, 4), (3, 4)]
    assert all(result == results[0] for result in results)


def test_jitted_functions_that_call_each_other() -> None:
    counts: dict[str, int] = {}

    def counted(name: str, function: Any) -> Any:
        def counting(x: Any) -> Any:
            counts[name] = counts.get(name, 0) + 1
            return function(x)

        return treadle.jit(counting)

    inner = counted("inner", tnp.sin)
    left = counted("left", lambda x: inner(x) * 2)
    right = counted("right", lambda x: left(inner(x)))
    results = at_once(lambda i: bits((left, right, inner)[i % 3](X)))
    assert counts == {"inner": 1, "left": 1, "right": 1}
    for i, result in enumerate(results):
        assert result == results[i % 3]


def test_gradients_of_one_jitted_function() -> None:
    traced = []

    @treadle.jit
    def function(x: Any) -> Any:
        traced.append(1)
        return body(x).sum()

    kinds: tuple[Callable[[Any], Any], ...] = (
        treadle.grad(function),
        treadle.vmap(treadle.grad(lambda row: function(row[None]))),
        treadle.value_and_grad(function),
        lambda x: treadle.jvp(function, (x,), (x,)),
    )
    alone = [bits(kind(X)) for kind in kinds]
    assert len(traced) == 2  # for the shapes (3, 4) and (1, 4)
    function.clear_cache()
    traced.clear()
    results = at_once(lambda i: bits(kinds[i % 4](X)))
    assert len(traced) == 2
    for i, result in enumerate(results):
        assert result == alone[i % 4]


def test_different_functions_and_eager_work() -> None:
    def work(index: int) -> list[bytes]:
        x = tnp.asarray(X + np.float32(index % 2))
        scale = 1 + index // 2

        def mine(x: Any) -> Any:
            return body(x) * scale

        total = bits(mine(x))
        total += bits(treadle.jit(mine)(x))
        total += bits(treadle.grad(lambda x: mine(x).sum())(x))
        total += bits(treadle.vmap(mine)(x[:, None]))
        total += bits(random.normal(random.key(index), (5,)))
        total += bits(x.at[0].set(1.0).sum(axis=1)[::-1])
        return total

    alone = [work(index) for index in range(THREADS)]
    for _ in range(ROUNDS):
        assert at_once(work) == alone


def test_traces_of_threads_do_not_meet() -> None:
    """Two threads in the middle of tracing, each waiting for the other, see their own trace only."""
    barrier = threading.Barrier(THREADS)

    def work(index: int) -> list[bytes]:
        def function(x: Any) -> Any:
            y = tnp.sin(x) * index
            barrier.wait()
            y = y + tnp.cos(x)
            barrier.wait()
            return y * x

        return bits(treadle.jit(function)(X))

    expected = [
        bits(treadle.jit(lambda x, i=i: (tnp.sin(x) * i + tnp.cos(x)) * x)(X))
        for i in range(THREADS)
    ]
    assert at_once(work) == expected


def test_widths_of_threads_do_not_meet() -> None:
    function = treadle.jit(lambda x: tnp.sin(x) + 1)

    def work(index: int) -> Any:
        if index % 2:
            with treadle.enable_x64():
                return function(1.5).dtype
        return function(1.5).dtype

    for i, dtype in enumerate(at_once(work)):
        assert dtype == (np.float64 if i % 2 else np.float32)


@pytest.mark.slow
def test_the_pool_in_all_threads() -> None:
    """Each program, eagerly, jitted and differentiated; every thread starts at another program."""
    names = [*POOL][::4]

    def one(name: str) -> list[bytes]:
        pooled = POOL[name]
        jitted = shared[name]
        arguments = treadle.tree.map(lambda x: tnp.asarray(x, np.float32), pooled.arguments)
        total = bits(pooled.program(*arguments)) + bits(jitted(*arguments))
        if pooled.reverse:
            _, pull = treadle.vjp(jitted, *arguments)
            total += bits(pull(treadle.tree.map(tnp.ones_like, jitted(*arguments))))
        return total

    def work(index: int) -> dict[str, list[bytes]]:
        start = index * len(names) // THREADS
        return {name: one(name) for name in names[start:] + names[:start]}

    shared = {name: treadle.jit(POOL[name].program) for name in names}
    results = at_once(work)
    shared = {name: treadle.jit(lambda *xs, f=POOL[name].program: f(*xs)) for name in names}
    alone = work(0)
    for result in results:
        assert result == alone

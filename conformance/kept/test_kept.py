"""After a loop of n rounds that drop what they made, what is left does not grow with n.

Live objects are counted, and the resident size of the process is measured: of each round's kind, twice as many rounds
leave as much as half of them. Objects that a cache may keep for a while are bounded.
"""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.kept.rounds import KIB, Held, rounds

pytestmark = [pytest.mark.xla]
ROUNDS = rounds()
BOUND = 64  # objects that bounded caches may hold: callable objects, static values
N = 80


@pytest.mark.parametrize("name", ROUNDS)
def test_what_a_round_held_is_let_go(name: str) -> None:
    """Of n objects at most a bound is left, and none of most kinds."""
    act = ROUNDS[name]
    alive: weakref.WeakSet[Held] = weakref.WeakSet()
    for number in range(N if "static" in name or "object" in name else 6):
        act(made(number, alive))
    treadle.effects_barrier()
    gc.collect()
    gc.collect()  # what executables held goes with them
    kept = BOUND if name.startswith(("static", "callable")) else 1
    assert len(alive) <= kept, f"{len(alive)} of {N} objects are left"


def made(number: int, alive: weakref.WeakSet[Held]) -> Held:
    held = Held(number)
    alive.add(held)
    return held


def test_static_values_leave_with_the_function() -> None:
    alive: weakref.WeakSet[Held] = weakref.WeakSet()
    function = treadle.jit(lambda x, held: x * held.number, static_argnums=1)
    for number in range(5):
        function(1.0, made(number, alive))
    del function
    gc.collect()
    assert not alive


def test_arrays_leave_with_their_names() -> None:
    arrays = []
    function = treadle.jit(lambda x: (x * 2, x + 1))

    def use(number: int) -> None:
        x = tnp.arange(4.0) + number
        arrays.extend([weakref.ref(x), *map(weakref.ref, function(x))])
        treadle.grad(lambda x: function(x)[0].sum())(x)

    for number in range(5):
        use(number)
    gc.collect()
    assert [ref for ref in arrays if ref() is not None] == []


def resident() -> int:
    """The bytes of memory that the process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc on this system")
@pytest.mark.parametrize(
    "name", ["jit, closure", "static", "grad, custom_vjp", "jit, pure_callback", "array", "partial"]
)
def test_resident_size_does_not_grow(name: str) -> None:
    """400 rounds with a quarter of a MiB each hold less than a quarter of that together."""
    act = ROUNDS[name]

    def many(first: int, count: int) -> None:
        for number in range(first, first + count):
            act(Held(number))
            if number % 20 == 0:
                gc.collect()

    many(0, 100)  # allocators and caches have what they want
    before = resident()
    many(100, 400)
    assert resident() - before < 400 * KIB * 1024 // 4


@pytest.mark.parametrize("what", ["shapes", "static numbers"])
def test_signatures_have_a_bound(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that is called with ever new shapes or numbers forgets the first ones, and stages them again."""
    monkeypatch.setattr("treadle_runtime.jitting.caches.MOST_SIGNATURES", 8)
    staged = []

    def body(x: Any, n: int) -> Any:
        staged.append((x.shape, n))
        return x * n

    function = treadle.jit(body, static_argnums=1)

    def call(n: int) -> None:
        function(np.ones(n, np.float32), 1) if what == "shapes" else function(1.0, n)

    for n in range(1, 21):
        call(n)
    assert len(staged) == 20
    call(20)
    call(15)
    assert len(staged) == 20  # the last ones are kept
    call(1)
    assert len(staged) == 21

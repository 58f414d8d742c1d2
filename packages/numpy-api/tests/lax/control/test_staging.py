"""Bodies are staged each time, so they see what has changed; equal ones are one program."""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import Array, Operands, Primitive, ReferenceEvaluator
from treadle_ir.tracing import EvalTrace, running
from treadle_numpy import lax
from treadle_numpy.arrays.table import install

install()
F = np.float32
XS = np.ones(3, F)
SCALE = 2.0
TABLE = {"scale": 2.0}


def scaled(c: Any, x: Any) -> Any:
    return c * SCALE + x, None


def scale() -> float:
    return SCALE


def scaled_by_helper(c: Any, x: Any) -> Any:
    return c * scale() + x, None


def scaled_by_table(c: Any, x: Any) -> Any:
    return c * TABLE["scale"] + x, None


@pytest.mark.parametrize("body", [scaled, scaled_by_helper])
def test_globals_that_change_are_seen(body: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lax.scan(body, F(1), XS[:1])[0] == 3
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert lax.scan(body, F(1), XS[:1])[0] == 6


def test_containers_that_change_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lax.scan(scaled_by_table, F(1), XS[:1])[0] == 3
    monkeypatch.setitem(TABLE, "scale", 5.0)
    assert lax.scan(scaled_by_table, F(1), XS[:1])[0] == 6


def test_closures_that_change_are_seen() -> None:
    factor = 2.0

    def body(c: Any, x: Any) -> Any:
        return c * factor + x, None

    assert lax.scan(body, F(1), XS[:1])[0] == 3
    factor = 5.0
    assert lax.scan(body, F(1), XS[:1])[0] == 6


def test_objects_that_change_are_seen() -> None:
    class Model:
        factor = 2.0

        def __call__(self, c: Any, x: Any) -> Any:
            return c * self.factor + x, None

        def step(self, c: Any, x: Any) -> Any:
            return self(c, x)

    model = Model()
    for body in (model, model.step, functools.partial(model.step), lambda c, x: model(c, x)):
        model.factor = 2.0
        assert lax.scan(body, F(1), XS[:1])[0] == 3
        model.factor = 5.0
        assert lax.scan(body, F(1), XS[:1])[0] == 6


def test_captured_arrays_are_operands() -> None:
    results = []
    for value in (2, 3):
        w = np.full(3, value, F)

        def body(c: Any, x: Any, w: Any = w) -> Any:
            return c * w[0] + x, None

        results.append(float(lax.scan(body, F(1), XS[:1])[0]))
    assert results == [3, 4]


class Recording:
    """Evaluates, and remembers the loops that it evaluated."""

    def __init__(self) -> None:
        self.loops: list[Primitive] = []

    def evaluate(self, primitive: Primitive, operands: Operands) -> Operands:
        if primitive.name in ("scan", "while", "case"):
            self.loops.append(primitive)
        return ReferenceEvaluator().evaluate(primitive, operands)

    def call(self, function: Any, args: Any, kwargs: Any, loops: bool = False, /) -> Any:
        return function(*args, **kwargs)

    def array(self, elements: Any, weak: bool, *, owned: bool = True, users: bool = False) -> Array:
        return ReferenceEvaluator().array(elements, weak, owned=owned, users=users)

    def adopted(self, x: object, kind: int, number: int) -> None:
        return


@pytest.fixture
def recording() -> Iterator[Recording]:
    recorded = Recording()
    with running(EvalTrace(recorded)):
        yield recorded


LOOPS: list[Callable[[Any], Any]] = [
    lambda w: lax.scan(lambda c, x: (c * w + x, None), XS, np.ones((4, 3), F))[0].sum(),
    lambda w: lax.fori_loop(0, 3, lambda i, x: x * w, XS).sum(),
    lambda w: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * w), (0, XS), max_steps=4
    )[1].sum(),
    lambda w: lax.cond(True, lambda x: x * w, lambda x: x - w, XS).sum(),
]


@pytest.mark.parametrize("loss", LOOPS, ids=["scan", "fori_loop", "while_loop", "cond"])
def test_an_eager_training_loop_makes_one_loop(loss: Any, recording: Recording) -> None:
    """Bodies are new functions in each iteration, and so are the arrays that they capture."""
    w: Any = np.ones(3, F)
    grad(loss)(w)
    first = len(recording.loops)
    for _ in range(3):
        w = w - F(0.1) * np.asarray(grad(loss)(w))
    assert len(recording.loops) == 4 * first
    assert set(recording.loops) == set(recording.loops[:first])


def test_functions_are_not_kept_alive() -> None:
    def used() -> weakref.ref[Any]:
        def body(c: Any, x: Any) -> Any:
            return c + x, body.__name__[:0] or None  # sees itself

        lax.scan(body, F(0), XS)
        return weakref.ref(body)

    alive = used()
    gc.collect()
    assert alive() is None

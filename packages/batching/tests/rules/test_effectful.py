from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import ArrayType
from treadle_ir.primitives import effectful

F32 = np.dtype("f4")
SCALAR = ArrayType((), F32)
X = np.arange(3, dtype=F32)


def test_trc09_sequential_runs_one_by_one() -> None:
    shapes: list[Any] = []

    def sine(v: Any) -> Any:
        shapes.append(v.shape)
        return np.sin(v)

    def f(x: Any) -> Any:
        return effectful.pure_callback(
            x, function=sine, results=[SCALAR], vmap_method="sequential"
        )[0]

    np.testing.assert_allclose(np.asarray(vmap(f)(X)), np.sin(X))
    assert shapes == [(), (), ()]


@pytest.mark.parametrize(
    ("method", "shapes"),
    [
        ("expand_dims", ((3,), (1,))),
        ("broadcast_all", ((3,), (3,))),
        ("legacy_vectorized", ((3,), ())),
    ],
)
def test_methods_that_run_at_once(method: Any, shapes: Any) -> None:
    seen: list[Any] = []

    def add(v: Any, w: Any) -> Any:
        seen.append((v.shape, w.shape))
        return np.broadcast_to(v + w, (3,))

    def f(x: Any) -> Any:
        return effectful.pure_callback(
            x, np.float32(1), function=add, results=[SCALAR], vmap_method=method
        )[0]

    np.testing.assert_allclose(np.asarray(vmap(f)(X)), X + 1)
    assert seen == [shapes]


def test_without_a_method_it_is_refused() -> None:
    def f(x: Any) -> Any:
        return effectful.pure_callback(x, function=np.sin, results=[SCALAR])[0]

    with pytest.raises(NotImplementedError, match="vmap does not know") as caught:
        vmap(f)(X)
    assert any("sequential" in note for note in caught.value.__notes__)


def test_trc07_debug_callbacks_run_for_each_element() -> None:
    seen: list[float] = []

    def f(x: Any) -> Any:
        effectful.debug_callback(x, function=lambda v: seen.append(float(v)))
        return x

    vmap(f)(X)
    assert seen == [0.0, 1.0, 2.0]


def test_io_callbacks_run_for_each_element_unless_ordered() -> None:
    seen: list[float] = []

    def f(x: Any, ordered: bool) -> Any:
        effectful.io_callback(
            x, function=lambda v: seen.append(float(v)), results=[], ordered=ordered
        )
        return x

    vmap(lambda x: f(x, False))(X)
    assert seen == [0.0, 1.0, 2.0]
    with pytest.raises(NotImplementedError, match="ordered"):
        vmap(lambda x: f(x, True))(X)


def test_batches_of_batches() -> None:
    grid = np.arange(6, dtype=F32).reshape(2, 3)

    def f(x: Any) -> Any:
        return effectful.pure_callback(
            x, function=lambda v: v * 2, results=[SCALAR], vmap_method="sequential"
        )[0]

    np.testing.assert_array_equal(np.asarray(vmap(vmap(f))(grid)), grid * 2)

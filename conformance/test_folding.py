"""A computation that is not elementwise is mapped by vmap, and gives the same as the elementwise one."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
from treadle import lax

X = np.random.default_rng(6).normal(size=(3, 5)).astype(np.float32)


def longer(a: Any, b: Any) -> Any:
    """The one of greater size, by a branch."""
    return lax.cond(abs(a) > abs(b), lambda: a, lambda: b)


def test_branches() -> None:
    expected = np.take_along_axis(X, np.abs(X).argmax(1)[:, None], 1)[:, 0]
    for run in (lambda f: f, treadle.jit):
        found = run(lambda x: lax.reduce(x, 0.0, longer, (1,)))(X)
        np.testing.assert_array_equal(found, expected)
    pairs = lax.reduce_window(X, 0.0, longer, (1, 2))
    np.testing.assert_array_equal(
        pairs, np.where(abs(X[:, :-1]) > abs(X[:, 1:]), X[:, :-1], X[:, 1:])
    )


def test_a_computation_may_close_over_what_is_traced() -> None:
    def total(weight: Any) -> Any:
        return lax.reduce(X[0], 0.0, lambda a, b: a + b + weight * a * b, (0,))

    step = 1e-2
    slope = (total(0.5 + step) - total(0.5 - step)) / (2 * step)
    np.testing.assert_allclose(treadle.grad(total)(np.float32(0.5)), slope, rtol=1e-3, atol=1e-3)
    each = treadle.vmap(total)(np.array([0.0, 0.5], np.float32))
    np.testing.assert_allclose(each, [total(0.0), total(0.5)], rtol=1e-5)

"""Exchanges between the batch elements of a named axis, against NumPy on the whole batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
from treadle import lax, vmap
from treadle.errors import ArgumentError, ShapeError, UnsupportedError

RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(4, 4, 3, 8)).astype(np.float32)

EXCHANGES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "ppermute": (
        lambda x: lax.ppermute(x, "i", [(0, 3), (2, 0), (3, 1)]),
        lambda x: np.stack([x[2], x[3], np.zeros_like(x[0]), x[0]]),
    ),
    "ppermute, all": (
        lambda x: lax.ppermute(x, ("i",), [(0, 3), (2, 0), (3, 1), (1, 2)]),
        lambda x: x[[2, 3, 1, 0]],
    ),
    "pshuffle": (lambda x: lax.pshuffle(x, "i", [2, 0, 3, 1]), lambda x: x[[2, 0, 3, 1]]),
    "pswapaxes": (lambda x: lax.pswapaxes(x, "i", 0), lambda x: x.swapaxes(0, 1)),
    "all_to_all": (
        lambda x: lax.all_to_all(x, "i", 0, 2),
        lambda x: np.moveaxis(x, 0, 3),
    ),
    "all_to_all, tiled": (
        lambda x: lax.all_to_all(x, "i", 2, 1, tiled=True),
        lambda x: np.stack(
            [np.concatenate([x[j, :, :, 2 * i : 2 * i + 2] for j in range(4)], 1) for i in range(4)]
        ),
    ),
    "psum_scatter": (lambda x: lax.psum_scatter(x, "i"), lambda x: x.sum(0)),
    "psum_scatter, tiled": (
        lambda x: lax.psum_scatter(x, "i", scatter_dimension=2, tiled=True),
        lambda x: np.stack(np.split(x.sum(0), 4, 2)),
    ),
    "pbroadcast": (lambda x: lax.pbroadcast(x, "i", 2), lambda x: np.stack([x[2]] * 4)),
    "pcast": (lambda x: lax.pcast(x, "i", to="varying"), lambda x: x),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_values(name: str) -> None:
    exchange, truth = EXCHANGES[name]
    run = vmap(exchange, axis_name="i")
    np.testing.assert_allclose(run(X), truth(X), rtol=1e-5)
    np.testing.assert_allclose(treadle.jit(run)(X), truth(X), rtol=1e-5)


@pytest.mark.parametrize("name", EXCHANGES)
def test_transposes(name: str) -> None:
    """<f(x), y> = <x, f^T(y)>; exchanges are linear."""
    exchange, truth = EXCHANGES[name]
    run = vmap(exchange, axis_name="i")
    y = RANDOM.normal(size=truth(X).shape).astype(np.float32)
    (back,) = treadle.linear_transpose(run, X)(y)
    np.testing.assert_allclose(np.vdot(truth(X), y), np.vdot(X, back), rtol=1e-3)


def test_trees_and_nested_axes() -> None:
    x = X[:, :, :, :3]  # [i, 4, j, 3]

    def both(row: Any) -> Any:
        return lax.pswapaxes({"a": row, "b": 2 * row}, "j", 1)

    found = vmap(vmap(both, in_axes=1, out_axes=1, axis_name="j"), axis_name="i")(x)
    np.testing.assert_array_equal(found["a"], x.transpose(0, 1, 3, 2))
    np.testing.assert_array_equal(found["b"], 2 * x.transpose(0, 1, 3, 2))


def test_ragged() -> None:
    """Against a loop that writes the rows one by one."""
    count, rows, width = 3, 9, 2
    operands = RANDOM.normal(size=(count, rows, width)).astype(np.float32)
    outputs = np.zeros((count, 12, width), np.float32)
    sizes = RANDOM.integers(0, 4, (count, count))  # [sender, receiver]
    starts = np.cumsum(sizes, 1) - sizes
    places = np.cumsum(sizes, 0) - sizes
    expected = outputs.copy()
    for i in range(count):
        for j in range(count):
            for k in range(sizes[i, j]):
                expected[j, places[i, j] + k] = operands[i, starts[i, j] + k]
    run = vmap(lambda *a: lax.ragged_all_to_all(*a, axis_name="i"), axis_name="i")
    found = run(operands, outputs, starts, sizes, places, sizes.T)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: lax.ppermute(x, "i", [(0, 4)]), ArgumentError, "different numbers below 4"),
        (lambda x: lax.ppermute(x, "i", [(0, 1), (2, 1)]), ArgumentError, "different numbers"),
        (lambda x: lax.ppermute(x, "k", []), NameError, "unbound axis name: 'k'"),
        (lambda x: lax.ppermute(x, ("i", "j"), []), UnsupportedError, "several axes at once"),
        (lambda x: lax.pshuffle(x, "i", [0, 0, 1, 2]), ArgumentError, "each number below 4 once"),
        (
            lambda x: lax.pswapaxes(x, "i", 1),
            ShapeError,
            "axis 1 of .* has size 3, which must be the 4",
        ),
        (
            lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True),
            ShapeError,
            "must be a multiple of the 4",
        ),
        (lambda x: lax.all_to_all(x, "i", 5, 0), IndexError, "all_to_all: axis 5 is out of bounds"),
        (lambda x: lax.psum_scatter(x, "i", scatter_dimension=1), ShapeError, "has size 3"),
        (lambda x: lax.pbroadcast(x, "i", 4), ArgumentError, "source is 4, but must be below 4"),
        (lambda x: lax.pcast(x, "i", to="both"), ArgumentError, "to is 'both', not one of"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        vmap(call, axis_name="i")(X)
    with pytest.raises(NameError, match="unbound axis name"):
        lax.pswapaxes(X, "i", 0)

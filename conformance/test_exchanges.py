"""Exchanges between the batch elements of a named axis, against NumPy on the whole batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
from treadle import lax, vmap
from treadle.errors import ArgumentError, MissingRuleError, ShapeError, UnsupportedError

RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(4, 4, 3, 8)).astype(np.float32)

PAIRS = [[0, 3], [2, 1]]


def paired(x: Any) -> Any:
    """The batch of each pair: [pair, which of the two, ...]."""
    return x[np.array(PAIRS)]


def unpaired(pairs: Any) -> Any:
    """The batch elements in their order again."""
    batch = np.empty((4, *pairs.shape[2:]), pairs.dtype)
    batch[np.array(PAIRS)] = pairs
    return batch


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
    "psum_scatter_start": (lambda x: lax.psum_scatter_start(x, "i").done(), lambda x: x.sum(0)),
    "psum_scatter, tiled": (
        lambda x: lax.psum_scatter(x, "i", scatter_dimension=2, tiled=True),
        lambda x: np.stack(np.split(x.sum(0), 4, 2)),
    ),
    "pbroadcast": (lambda x: lax.pbroadcast(x, "i", 2), lambda x: np.stack([x[2]] * 4)),
    "pcast": (lambda x: lax.pcast(x, "i", to="varying"), lambda x: x),
    "psum, in pairs": (
        lambda x: lax.psum(x, "i", axis_index_groups=PAIRS),
        lambda x: unpaired(np.repeat(paired(x).sum(1, keepdims=True), 2, 1)),
    ),
    "pmean, in pairs": (
        lambda x: lax.pmean(x, ("i",), axis_index_groups=np.array(PAIRS)),
        lambda x: unpaired(np.repeat(paired(x).mean(1, keepdims=True), 2, 1)),
    ),
    "all_gather, in pairs": (
        lambda x: lax.all_gather(x, "i", axis=2, axis_index_groups=PAIRS),
        lambda x: unpaired(np.repeat(np.moveaxis(paired(x), 1, 3)[:, None], 2, 1)),
    ),
    "all_gather, tiled, in pairs": (
        lambda x: lax.all_gather(x, "i", axis=1, tiled=True, axis_index_groups=PAIRS),
        lambda x: np.concatenate([x[[0, 2, 2, 0]], x[[3, 1, 1, 3]]], 2),
    ),
    "psum_scatter, in pairs": (
        lambda x: lax.psum_scatter(x[:2], "i", axis_index_groups=PAIRS),
        lambda x: unpaired(paired(x)[:, :, :2].sum(1)),
    ),
    "psum_scatter, tiled, in pairs": (
        lambda x: lax.psum_scatter(
            x, "i", scatter_dimension=2, tiled=True, axis_index_groups=PAIRS
        ),
        lambda x: unpaired(np.stack(np.split(paired(x).sum(1), 2, 3), 1)),
    ),
    "all_to_all, in pairs": (
        lambda x: lax.all_to_all(x[:2], "i", 0, 1, axis_index_groups=PAIRS),
        lambda x: unpaired(np.moveaxis(paired(x)[:, :, :2].swapaxes(1, 2), 2, 3)),
    ),
    "pswapaxes, in pairs": (
        lambda x: lax.pswapaxes(x[:2], "i", 0, axis_index_groups=PAIRS),
        lambda x: unpaired(paired(x)[:, :, :2].swapaxes(1, 2)),
    ),
    "psum, each by itself": (
        lambda x: lax.psum(x, "i", axis_index_groups=[[3], [1], [0], [2]]),
        lambda x: x,
    ),
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


@pytest.mark.parametrize(("reduce", "truth"), [(lax.pmax, np.max), (lax.pmin, np.min)])
def test_extrema_in_pairs(reduce: Any, truth: Any) -> None:
    run = vmap(lambda x: reduce(x, "i", axis_index_groups=PAIRS), axis_name="i")
    expected = unpaired(np.repeat(truth(paired(X), 1, keepdims=True), 2, 1))
    np.testing.assert_array_equal(run(X), expected)


def test_groups_of_what_is_the_same_for_all() -> None:
    run = vmap(lambda x: x + lax.psum(3, "i", axis_index_groups=PAIRS), axis_name="i")
    np.testing.assert_array_equal(run(X), X + 6)


def test_groups_along_an_inner_axis() -> None:
    inner = vmap(lambda x: lax.psum(x, "j", axis_index_groups=PAIRS), axis_name="j")
    found = vmap(inner, axis_name="i")(X)
    np.testing.assert_allclose(found, X + X[:, [3, 2, 1, 0]], rtol=1e-6)
    outer = vmap(vmap(lambda x: lax.psum(x, "i", axis_index_groups=PAIRS)), axis_name="i")
    np.testing.assert_allclose(outer(X), X + X[[3, 2, 1, 0]], rtol=1e-6)


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
        (lambda x: lax.ppermute(x, ("i", "k"), []), NameError, "unbound axis name: 'k'"),
        (lambda x: lax.ppermute(x, ("i", "i"), []), ArgumentError, "names one of them twice"),
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
        (
            lambda x: lax.psum(x, "i", axis_index_groups=[[0, 1], [1, 2]]),
            ArgumentError,
            "must cover all indices exactly once, those below 4",
        ),
        (
            lambda x: lax.all_gather(x, "i", axis_index_groups=[[0], [1, 2, 3]]),
            ArgumentError,
            r"groups have sizes \[1, 3\]",
        ),
        (
            lambda x: lax.psum(x, "i", axis_index_groups=[[0, 1, 2, 3], []]),
            ArgumentError,
            r"groups have sizes \[0, 4\]",
        ),
        (
            lambda x: lax.psum(x, "i", axis_index_groups=[[0], [1, 2, 3]]),
            MissingRuleError,
            "no rule for groups of unequal sizes",
        ),
        (
            lambda x: lax.psum_scatter(x, "i", axis_index_groups=PAIRS),
            ShapeError,
            "has size 4, which must be the 2",
        ),
        (lambda x: lax.pcast(x, "i", to="both"), ArgumentError, "to is 'both', not one of"),
        (lambda x: lax.pcast(x, "i", to="unreduced"), UnsupportedError, "a partial sum"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        vmap(call, axis_name="i")(X)
    with pytest.raises(NameError, match="unbound axis name"):
        lax.pswapaxes(X, "i", 0)

"""smap as users call it, on two devices: what shard_map computes with the same cuts, worked out by NumPy here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, PartitionSpec as P, ops
from treadle_ir.errors import ShardingError
from treadle_runtime import Mesh, NamedSharding, device_put, devices, jit, set_mesh, smap

X = np.arange(8, dtype=np.float32).reshape(4, 2)


def mesh(*names: str) -> Mesh:
    grid = np.array(devices()[:2]).reshape(2, *[1] * (len(names) - 1))
    return Mesh(grid, names)


def total(x: Any) -> Any:
    return ops.all_reduce(x, reduction="add", axis_name="x")


@pytest.mark.parametrize("wrap", [lambda f: f, jit])
def test_parts_are_cut_along_an_axis(wrap: Any) -> None:
    with set_mesh(mesh("x")):
        rows = wrap(smap(total, in_axes=0, out_axes=None, axis_name="x"))(X)
        columns = wrap(smap(total, in_axes=1, out_axes=1, axis_name="x"))(X)
    np.testing.assert_array_equal(np.asarray(rows), X[:2] + X[2:])
    np.testing.assert_array_equal(np.asarray(columns), np.repeat(X.sum(1, keepdims=True), 2, 1))
    assert columns.sharding.spec == P(None, "x")


def test_trees_of_axes() -> None:
    f = smap(
        lambda d, k: {"rows": ops.add(d["rows"], k), "sum": total(d["rows"])},
        in_axes=({"rows": 0, "other": None}, None),
        out_axes={"rows": 0, "sum": None},
        axis_name="x",
    )
    with set_mesh(mesh("x")):
        found = f({"rows": X, "other": 3}, np.float32(2))
    np.testing.assert_array_equal(np.asarray(found["rows"]), X + 2)
    np.testing.assert_array_equal(np.asarray(found["sum"]), X[:2] + X[2:])


def test_arrays_keep_their_shardings() -> None:
    over = mesh("x")
    with set_mesh(over):
        found = smap(total, out_axes=None, axis_name="x")(
            device_put(X, NamedSharding(over, P(None, "x")))
        )
    np.testing.assert_array_equal(np.asarray(found), X[:, :1] + X[:, 1:])


def test_as_a_decorator_it_cuts_along_the_axis_that_it_was_given() -> None:
    decorated = smap(in_axes=1, out_axes=1, axis_name="x")(total)
    with set_mesh(mesh("x")):
        np.testing.assert_array_equal(
            np.asarray(decorated(X)), np.repeat(X.sum(1, keepdims=True), 2, 1)
        )


def test_one_within_the_other() -> None:
    @smap(in_axes=0, out_axes=0, axis_name="x")
    def outer(x: Any) -> Any:
        inner = smap(lambda y: ops.add(y, total(y)), in_axes=1, out_axes=1, axis_name="y")
        return inner(x)

    with set_mesh(mesh("x", "y")):
        found = outer(X)
    np.testing.assert_array_equal(np.asarray(found), X + np.tile(X[:2] + X[2:], (2, 1)))


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ArgumentError, "f must be a function", lambda: smap(3, out_axes=0, axis_name="x")),  # type: ignore[arg-type]
        (ArgumentError, "should be a `str`", lambda: smap(total, out_axes=0, axis_name=("x", "y"))),  # type: ignore[arg-type]
        (
            ArgumentError,
            "in_axes must be",
            lambda: smap(total, in_axes=-1, out_axes=0, axis_name="x"),
        ),
        (ArgumentError, "out_axes must be", lambda: smap(total, out_axes="a", axis_name="x")),
        (ArgumentError, "no mesh", lambda: smap(total, in_axes=0, out_axes=0, axis_name="x")(X)),
    ],
)
def test_errors(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error, match=message):
        call()


def test_errors_within_a_mesh() -> None:
    with set_mesh(mesh("x")):
        with pytest.raises(ArgumentError, match="axis_names has 'z'"):
            smap(total, in_axes=0, out_axes=0, axis_name="z")(X)
        with pytest.raises(ShardingError, match="not a multiple of 2"):
            smap(total, in_axes=0, out_axes=0, axis_name="x")(X[:3])
        with pytest.raises(ShardingError, match="varies over 'x'"):
            smap(lambda x: x, in_axes=0, out_axes=None, axis_name="x")(X)

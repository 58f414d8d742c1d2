"""shard_map as users call it, on two devices; what it computes is compared in conformance/sharding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, PartitionSpec as P, ops
from treadle_ir.errors import ShardingError, TreeError
from treadle_runtime import (
    Infer,
    Mesh,
    NamedSharding,
    device_put,
    devices,
    jit,
    set_mesh,
    shard_map,
)

X = np.arange(8, dtype=np.float32).reshape(4, 2)


def mesh() -> Mesh:
    return Mesh(np.array(devices()[:2]), ("x",))


def total(x: Any) -> Any:
    return ops.all_reduce(x, reduction="add", axis_name="x")


@pytest.mark.parametrize("wrap", [lambda f: f, jit])
def test_each_device_has_its_part(wrap: Any) -> None:
    add = wrap(shard_map(total, mesh=mesh(), in_specs=P("x"), out_specs=P()))
    np.testing.assert_array_equal(np.asarray(add(X)), X[:2] + X[2:])


def test_the_mesh_in_force_will_do() -> None:
    with set_mesh(mesh()):
        found = shard_map(total, in_specs=(P("x"),), out_specs=P())(X)
    np.testing.assert_array_equal(np.asarray(found), X[:2] + X[2:])


def test_arrays_keep_their_shardings() -> None:
    over = device_put(X, NamedSharding(mesh(), P(None, "x")))
    found = shard_map(total, mesh=mesh(), in_specs=Infer, out_specs=P())(over)
    np.testing.assert_array_equal(np.asarray(found), X[:, :1] + X[:, 1:])


def test_a_decorator() -> None:
    @shard_map(mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    def doubled(x: Any) -> Any:
        return ops.add(x, x)

    np.testing.assert_array_equal(np.asarray(doubled(X)), 2 * X)


def test_what_it_closes_over_is_read_at_each_call() -> None:
    factor = [2.0]
    scaled = shard_map(
        lambda x: ops.multiply(x, np.float32(factor[0])),
        mesh=mesh(),
        in_specs=P("x"),
        out_specs=P("x"),
    )
    np.testing.assert_array_equal(np.asarray(scaled(X)), 2 * X)
    factor[0] = 3.0
    np.testing.assert_array_equal(np.asarray(scaled(X)), 3 * X)


def test_a_result_that_differs_is_refused() -> None:
    with pytest.raises(ShardingError, match=r"(?s)result varies over 'x'.*psum"):
        shard_map(lambda x: x, mesh=mesh(), in_specs=P("x"), out_specs=P())(X)


def test_without_the_check_it_is_not() -> None:
    shard_map(lambda x: x, mesh=mesh(), in_specs=P("x"), out_specs=P(), check_vma=False)(X)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ArgumentError, "no mesh", lambda: shard_map(total, in_specs=P("x"), out_specs=P())(X)),
        (
            ArgumentError,
            "axis_names",
            lambda: shard_map(total, mesh=mesh(), in_specs=P("x"), out_specs=P(), axis_names={"z"})(
                X
            ),
        ),
        (ArgumentError, "mesh", lambda: shard_map(total, mesh=2, in_specs=P("x"), out_specs=P())),  # type: ignore[arg-type]
        (
            ArgumentError,
            "in_specs",
            lambda: shard_map(total, mesh=mesh(), in_specs="x", out_specs=P()),
        ),
        (
            ShardingError,
            "no axis 'z'",
            lambda: shard_map(total, mesh=mesh(), in_specs=P("z"), out_specs=P())(X),
        ),
        (
            ShardingError,
            "not a multiple of 2",
            lambda: shard_map(total, mesh=mesh(), in_specs=P("x"), out_specs=P())(X[:3]),
        ),
        (
            ShardingError,
            "1 entries",
            lambda: shard_map(
                lambda x: ops.reduce_add(x, axes=(0, 1)),
                mesh=mesh(),
                in_specs=P("x"),
                out_specs=P("x"),
            )(X),
        ),
        (
            TreeError,
            "prefix",
            lambda: shard_map(total, mesh=mesh(), in_specs=(P("x"), P()), out_specs=P())(X),
        ),
        (
            TreeError,
            "prefix",
            lambda: shard_map(total, mesh=mesh(), in_specs=P("x"), out_specs=(P(), P()))(X),
        ),
    ],
)
def test_errors(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "specs",
    [(P("x"), None), ({"a": P("x"), "b": P("x")}, P()), ({"a": P("x"), "b": P("x")}, None)],
)
def test_none_is_for_what_each_device_has_whole(specs: Any) -> None:
    def shifted(tree: Any, whole: Any) -> Any:
        by = ops.reduce_add(whole, axes=(0, 1))
        return {name: ops.add(part, by) for name, part in tree.items()}

    add = shard_map(shifted, mesh=mesh(), in_specs=specs, out_specs=P("x"))
    found = add({"a": X, "b": 2 * X}, X)
    np.testing.assert_array_equal(np.asarray(found["b"]), 2 * X + X.sum())


def test_none_for_all_arguments() -> None:
    whole = shard_map(lambda x: x, mesh=mesh(), in_specs=None, out_specs=P())(X)
    np.testing.assert_array_equal(np.asarray(whole), X)
    with pytest.raises(TreeError, match="out_specs"):
        shard_map(lambda x: x, mesh=mesh(), in_specs=P(), out_specs=None)(X)


def test_specifications_name_axes_that_the_function_sees() -> None:
    two = Mesh(np.array(devices()[:2]).reshape(2, 1), ("x", "y"))
    add = shard_map(lambda x: x, mesh=two, in_specs=P("y"), out_specs=P("x"), axis_names={"x"})
    with pytest.raises(ShardingError, match="names the axis 'y', but the function sees"):
        add(X)

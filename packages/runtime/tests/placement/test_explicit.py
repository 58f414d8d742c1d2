"""Shardings of arrays and results over explicit axes of the mesh in force."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from treadle_ir import Array, AxisType, PartitionSpec as P, ops
from treadle_ir.errors import ShardingTypeError
from treadle_ir.tracing import Tracer
from treadle_runtime import (
    NamedSharding,
    auto_axes,
    explicit_axes,
    explicit_sharding,
    get_abstract_mesh,
    jit,
    make_mesh,
    reshard,
    set_mesh,
    shard_map,
    with_sharding_constraint,
)

MESH = make_mesh((3,), ("x",))
ROWS = NamedSharding(MESH, P("x", None))
HOST: Any = np.arange(18, dtype=np.float32).reshape(6, 3)


@pytest.fixture(autouse=True)
def in_force() -> Iterator[None]:
    with set_mesh(MESH):
        yield


def spec(x: object) -> P | None:
    found = explicit_sharding(x)
    return None if found is None else found.spec


def gram(x: Array) -> Array:
    return ops.dot_general(x, x, contracting=((0,), (0,)))


def test_results_are_sharded_by_rules() -> None:
    x = reshard(HOST, P("x"))
    assert spec(x) == P("x", None)
    y = ops.transpose(ops.sine(x), permutation=(1, 0))
    assert spec(y) == P(None, "x")
    assert y.sharding.is_equivalent_to(NamedSharding(MESH, P(None, "x")), 2)
    assert spec(ops.reduce_add(x, axes=(0,))) == P(None)
    assert ops.reduce_add(x, axes=(0,)).sharding.is_fully_replicated
    assert spec(HOST) is None


def test_under_jit_types_show_shardings_and_results_have_them() -> None:
    seen = []

    @jit
    def f(x: Array) -> Array:
        seen.append(spec(x))
        y = ops.reduce_add(x, axes=(1,))
        seen.append(spec(y))
        return y

    result = f(reshard(HOST, P("x")))
    assert seen == [P("x", None), P("x")]
    assert result.sharding.is_equivalent_to(NamedSharding(MESH, P("x")), 1)
    f(reshard(HOST, P(None, "x")))  # has another sharding, so it is staged again
    assert seen[2:] == [P(None, "x"), P(None)]
    f(reshard(HOST, P("x")))
    assert len(seen) == 4


def test_an_ambiguous_result_is_refused_each_time() -> None:
    x = reshard(HOST, P("x"))
    for _ in range(2):
        with pytest.raises(ShardingTypeError, match="ambiguous"):
            gram(x)
        with pytest.raises(ShardingTypeError, match="ambiguous"):
            jit(gram)(x)


def test_auto_axes_leave_it_to_the_compiler() -> None:
    x = reshard(HOST, P("x"))
    for f in (auto_axes(gram, out_sharding=P("x")), jit(auto_axes(gram, out_sharding=P("x")))):
        found = f(x)
        assert spec(found) == P("x", None)
        assert np.array_equal(found, HOST.T @ HOST)
    assert auto_axes(axes="x")(gram)(x, out_sharding=P()).sharding.is_fully_replicated
    with pytest.raises(Exception, match="the output shardings were not specified"):
        auto_axes(gram)(x)
    with pytest.raises(Exception, match="the mesh has"):
        auto_axes(gram, axes="y", out_sharding=P())(x)


def test_explicit_axes_are_the_way_back() -> None:
    seen = []

    def f(x: Array) -> Array:
        seen.append(spec(x))
        return ops.sine(x)

    automatic = make_mesh((3,), ("x",), (AxisType.Auto,))
    with set_mesh(automatic):
        x = reshard(HOST, P("x"))
        assert spec(x) is None
        explicit_axes(f, in_sharding=P("x"))(x)
        explicit_axes(f)(x, in_sharding=P(None, "x"))
        with pytest.raises(Exception, match="the input shardings were not specified"):
            explicit_axes(f)(x)
    assert seen == [P("x", None), P(None, "x")]


def test_a_constraint_says_what_is() -> None:
    x = reshard(HOST, P("x"))
    assert with_sharding_constraint(x, P("x")).sharding.is_equivalent_to(ROWS, 2)
    for call in (
        with_sharding_constraint,
        jit(with_sharding_constraint, static_argnums=1),
    ):
        with pytest.raises(ShardingTypeError, match="a constraint moves nothing"):
            call(x, P(None, "x"))


def test_within_a_shard_map_axes_are_the_users() -> None:
    seen = []

    def part(x: Array) -> Array:
        assert isinstance(x, Tracer)
        seen.append((x.shape, spec(x)))
        return gram(x)

    found = shard_map(part, mesh=MESH, in_specs=P("x"), out_specs=P("x"))(reshard(HOST, P("x")))
    assert seen[0] == ((2, 3), None)
    assert spec(found) == P("x", None)


def test_without_a_mesh_in_force_arrays_show_their_own() -> None:
    x = reshard(HOST, P("x"))
    with set_mesh(None):
        assert explicit_sharding(x) is x.sharding
        assert ops.sine(x).sharding == ROWS
        for call in (gram, jit(gram)):
            with pytest.raises(ShardingTypeError, match="ambiguous"):
                call(x)


def test_explicit_axes_as_a_decorator_of_some_axes() -> None:
    seen: list[Any] = []

    @explicit_axes(axes="x", in_sharding=P("x"))
    def see(x: Any) -> Any:
        seen.append(get_abstract_mesh().axis_types)
        return x

    with set_mesh(make_mesh((1, 1), ("x", "y"), axis_types=(AxisType.Auto,) * 2)):
        see(HOST)
    assert seen == [(AxisType.Explicit, AxisType.Auto)]

"""Arrays resharded over a mesh, also within a traced function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, PartitionSpec as P
from treadle_ir.errors import PlacementError, ShardingError
from treadle_runtime import (
    Mesh,
    NamedSharding,
    devices,
    jit,
    reshard,
    set_mesh,
    with_sharding_constraint,
)

MESH = Mesh(devices(), ("x",))
ROWS, COLUMNS = NamedSharding(MESH, P("x")), NamedSharding(MESH, P(None, "x"))
HOST = np.arange(18, dtype=np.float32).reshape(6, 3)


@pytest.mark.parametrize("place", [with_sharding_constraint, reshard])
@pytest.mark.parametrize("sharding", [ROWS, COLUMNS])
def test_arrays_have_the_sharding_also_under_jit(place: Any, sharding: NamedSharding) -> None:
    for call in (place, jit(place, static_argnums=1)):
        found = call(HOST, sharding)
        assert found.sharding.is_equivalent_to(sharding, 2)
        assert np.array_equal(found, HOST)


def test_a_tree_and_a_specification() -> None:
    with set_mesh(MESH):
        given: dict[str, Any] = {"a": HOST, "b": HOST}
        found = with_sharding_constraint(given, {"a": P("x"), "b": None})
    assert found["a"].sharding is ROWS
    assert found["b"] is HOST


def test_unequal_parts_within_a_program() -> None:
    found = jit(lambda x: with_sharding_constraint(x, ROWS))(HOST[:4])
    assert found.sharding.is_fully_replicated
    assert np.array_equal(found, HOST[:4])


def test_what_does_not_fit() -> None:
    with pytest.raises(ShardingError):
        with_sharding_constraint(HOST[:4], ROWS)
    with pytest.raises(ShardingError):
        jit(lambda x: with_sharding_constraint(x, ROWS))(HOST[0, 0])
    with pytest.raises(ShardingError):
        jit(lambda x: x, out_shardings=ROWS)(HOST[:4])
    with pytest.raises(PlacementError):
        with_sharding_constraint(HOST, P("x"))
    with pytest.raises(ArgumentError):
        with_sharding_constraint(HOST, "x")

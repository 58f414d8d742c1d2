"""`in_shardings` and `out_shardings` of a jitted function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, PartitionSpec as P
from treadle_ir.errors import ShardingError, TreeError
from treadle_runtime import Mesh, NamedSharding, device_put, devices, jit, set_mesh

MESH = Mesh(devices(), ("x",))
ROWS, EVERYWHERE = NamedSharding(MESH, P("x")), NamedSharding(MESH, P())
HOST = np.arange(6, dtype=np.float32)


def same(x: Any) -> Any:
    return x


def test_what_is_asked_for_is_what_there_is() -> None:
    for sharding in (ROWS, EVERYWHERE):
        found = jit(same, in_shardings=ROWS, out_shardings=sharding)(HOST)
        assert found.sharding.is_equivalent_to(sharding, 1)
        assert np.array_equal(found, HOST)


def test_specifications_over_the_mesh_in_force() -> None:
    with set_mesh(MESH):
        assert jit(same, out_shardings=P("x"))(HOST).sharding.is_equivalent_to(ROWS, 1)


def test_a_committed_array_must_have_the_sharding() -> None:
    call = jit(same, in_shardings=ROWS)
    assert np.array_equal(call(device_put(HOST, ROWS)), HOST)
    with pytest.raises(ShardingError, match="in_shardings"):
        call(device_put(HOST, EVERYWHERE))


def test_trees_that_do_not_match() -> None:
    with pytest.raises(TreeError) as inputs:
        jit(same, in_shardings=(ROWS, ROWS))(HOST)
    assert any("in_shardings" in note for note in inputs.value.__notes__)
    with pytest.raises(TreeError):
        jit(same, out_shardings=(ROWS, ROWS))(HOST)


def test_in_shardings_are_for_positional_arguments() -> None:
    call = jit(lambda x, n=1: x, in_shardings=ROWS, static_argnames="n")
    assert call(HOST, n=2).sharding == ROWS
    with pytest.raises(ArgumentError, match="is called with x by keyword"):
        call(x=HOST)
    with pytest.raises(ArgumentError, match="by keyword"):
        call.lower(x=HOST)

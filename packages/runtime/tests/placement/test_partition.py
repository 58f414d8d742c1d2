"""The devices on which a program runs, and the shardings of its results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import PartitionSpec as P, ops
from treadle_ir.errors import PlacementError
from treadle_runtime import Mesh, NamedSharding, device_put, devices, jit, with_sharding_constraint

MESH = Mesh(devices(), ("x",))
ROWS = NamedSharding(MESH, P("x"))
HOST = np.arange(6, dtype=np.float32)


def constrained(x: Any) -> Any:
    return with_sharding_constraint(ops.multiply(x, x), ROWS)


def test_uncommitted_arguments_go_where_the_program_asks() -> None:
    found = jit(constrained)(HOST)
    assert found.devices() == {*devices()}
    assert found.sharding.is_equivalent_to(ROWS, 1)
    assert np.array_equal(found, HOST * HOST)


def test_results_are_sharded_like_committed_arguments() -> None:
    found = jit(lambda x: ops.multiply(x, x))(device_put(HOST, ROWS))
    assert found.sharding.is_equivalent_to(ROWS, 1)
    assert np.array_equal(found, HOST * HOST)


def test_arguments_committed_elsewhere() -> None:
    with pytest.raises(PlacementError, match="committed"):
        jit(constrained)(device_put(HOST, devices()[0]))
    other = NamedSharding(Mesh(devices()[:2], ("x",)), P("x"))
    with pytest.raises(PlacementError):
        jit(ops.add)(device_put(HOST, ROWS), device_put(HOST, other))

"""Trees of shardings, as users give them."""

from __future__ import annotations

import pytest

from treadle_ir import AbstractMesh, ArgumentError, PartitionSpec as P
from treadle_ir.errors import PlacementError, TreeError
from treadle_runtime import Mesh, NamedSharding, devices, set_mesh
from treadle_runtime.placement.requested import parse_shardings

MESH = Mesh(devices(), ("x",))
SHARDED = NamedSharding(MESH, P("x"))


def test_a_prefix_of_a_tree() -> None:
    asked = parse_shardings("f", "shardings", {"a": SHARDED, "b": None})
    assert asked is not None
    assert asked.over("f", {"a": (1, 2), "b": 3}) == [SHARDED, SHARDED, None]
    with pytest.raises(TreeError):
        asked.over("f", {"a": 1})


def test_a_specification_is_over_the_mesh_in_force() -> None:
    asked = parse_shardings("f", "shardings", P("x"))
    assert asked is not None
    with pytest.raises(PlacementError, match="no mesh is in force"):
        asked.over("f", 1)
    with set_mesh(MESH):
        assert asked.over("f", 1) == [SHARDED]


def test_an_abstract_mesh_stands_for_the_one_in_force() -> None:
    asked = parse_shardings("f", "shardings", NamedSharding(MESH.abstract_mesh, P("x")))
    assert asked is not None
    with pytest.raises(PlacementError, match="whose mesh is abstract"):
        asked.over("f", 1)
    with set_mesh(MESH):
        assert asked.over("f", 1) == [SHARDED]
        other = parse_shardings("f", "shardings", NamedSharding(AbstractMesh((1,), ("z",)), P("z")))
        assert other is not None
        with pytest.raises(PlacementError, match="does not have these axes"):
            other.over("f", 1)


def test_nothing_is_said() -> None:
    assert parse_shardings("f", "shardings", None) is None
    assert parse_shardings("f", "shardings", (None, {"a": None})) is None


def test_a_leaf_that_is_none() -> None:
    with pytest.raises(ArgumentError):
        parse_shardings("f", "shardings", (SHARDED, "x"))

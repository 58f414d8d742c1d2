"""Trees of shardings, as users give them."""

from __future__ import annotations

import pytest

from treadle_ir import AbstractMesh, ArgumentError, PartitionSpec as P
from treadle_ir.errors import PlacementError, TreeError
from treadle_runtime import Mesh, NamedSharding, devices, set_mesh
from treadle_runtime.placement.asked import asked_for

MESH = Mesh(devices(), ("x",))
LIES = NamedSharding(MESH, P("x"))


def test_a_prefix_of_a_tree() -> None:
    asked = asked_for("f", "shardings", {"a": LIES, "b": None})
    assert asked is not None
    assert asked.over("f", {"a": (1, 2), "b": 3}) == [LIES, LIES, None]
    with pytest.raises(TreeError):
        asked.over("f", {"a": 1})


def test_a_specification_is_over_the_mesh_in_force() -> None:
    asked = asked_for("f", "shardings", P("x"))
    assert asked is not None
    with pytest.raises(PlacementError, match="no mesh is in force"):
        asked.over("f", 1)
    with set_mesh(MESH):
        assert asked.over("f", 1) == [LIES]


def test_an_abstract_mesh_stands_for_the_one_in_force() -> None:
    asked = asked_for("f", "shardings", NamedSharding(MESH.abstract_mesh, P("x")))
    assert asked is not None
    with pytest.raises(PlacementError, match="whose mesh is abstract"):
        asked.over("f", 1)
    with set_mesh(MESH):
        assert asked.over("f", 1) == [LIES]
        other = asked_for("f", "shardings", NamedSharding(AbstractMesh((1,), ("z",)), P("z")))
        assert other is not None
        with pytest.raises(PlacementError, match="has not these axes"):
            other.over("f", 1)


def test_nothing_is_said() -> None:
    assert asked_for("f", "shardings", None) is None
    assert asked_for("f", "shardings", (None, {"a": None})) is None


def test_a_leaf_that_is_none() -> None:
    with pytest.raises(ArgumentError):
        asked_for("f", "shardings", (LIES, "x"))

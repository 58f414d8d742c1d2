from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import treadle
from treadle import export
from treadle.errors import ArgumentError, PlacementError, ShardingError
from treadle.export.shardings import (
    ExportedShardings,
    Over,
    anywhere,
    exported_shardings,
    mesh_of_call,
    read,
    written,
)
from treadle.sharding import AxisType, NamedSharding, PartitionSpec as P
from treadle_ir import AbstractMesh, ArrayType, ops, stage
from treadle_ir.core import OverMesh

MESH = AbstractMesh((4, 2), ("x", "y"))
TYPE = ArrayType((8, 4), np.dtype("f4"))
PLAIN = stage(lambda x: [ops.sine(x)], TYPE).program
SHARDINGS = ExportedShardings(MESH, (Over(MESH, (("x",), None)),), (None,))


def field(**changes: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(written(SHARDINGS))), **changes}


def test_what_is_written_is_read() -> None:
    assert read(field(), PLAIN, [TYPE], [TYPE]) == SHARDINGS
    assert written(None) == {"devices": 1}
    assert read({"devices": 1}, PLAIN, [TYPE], [TYPE]) is None


@pytest.mark.parametrize(
    "damage",
    [
        {"devices": 0},
        {"devices": "8"},
        {"devices": 4},
        {"mesh": [["x", -1]]},
        {"mesh": [["x", 4], ["x", 2]]},
        {"mesh": 3},
        {"in_shardings": []},
        {"in_shardings": [[[["x", 8]], [["z"], []]]]},
        {"in_shardings": [[[["x", 8]], [["x"], ["x"]]]]},
        {"in_shardings": [[[["x", 8]], [[], [], []]]]},
        {"in_shardings": [[[["x", 8]], [[], ["x"]]]]},  # 4 does not divide by 8
        {"in_shardings": [[[["x", 2]], [["x"], []]]]},  # two devices, not eight
        {"out_shardings": None},
    ],
)
def test_damage_is_found(damage: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        read(field(**damage), PLAIN, [TYPE], [TYPE])


def test_several_devices_need_a_mesh() -> None:
    with pytest.raises(ArgumentError, match="has no mesh"):
        read({"devices": 8}, PLAIN, [TYPE], [TYPE])


def test_numbers_of_devices_do_not_travel() -> None:
    sharded = stage(
        lambda x: [ops.sharding_constraint(x, mesh=MESH, layout=((), ()), device_ids=(*range(8),))],
        TYPE,
    ).program
    (equation,) = anywhere(sharded).equations
    assert isinstance(equation.primitive, OverMesh)
    assert equation.primitive.device_ids == ()
    found = exported_shardings("f", sharded, [None], [None])
    assert found == ExportedShardings(MESH, (None,), (None,))
    assert exported_shardings("f", PLAIN, [None], [None]) is None


def test_too_few_devices() -> None:
    with pytest.raises(PlacementError, match="for 8 devices, but there are"):
        mesh_of_call("f", SHARDINGS, [np.ones(3)])
    with pytest.raises(PlacementError, match="committed to 1"):
        mesh_of_call("f", SHARDINGS, [treadle.device_put(np.ones(3), treadle.devices()[0])])


def test_a_mesh_of_one_device_travels_too() -> None:
    mesh = treadle.make_mesh((1,), ("x",), (AxisType.Auto,))
    sharding = NamedSharding(mesh, P("x"))
    exported = export.export(treadle.jit(lambda x: x + 1, in_shardings=sharding))(np.ones(2))
    again = export.deserialize(exported.serialize(vjp_order=1))
    assert again.nr_devices == 1
    assert again.in_shardings_jax(mesh) == (sharding,)
    assert again.out_shardings_jax(mesh) == (None,)
    assert np.array_equal(again.call(np.ones(2)), [2, 2])
    assert np.array_equal(treadle.grad(lambda x: again.call(x).sum())(np.ones(2)), [1, 1])
    with pytest.raises(ShardingError, match="exported over a mesh"):
        again.in_shardings_jax(treadle.make_mesh((1,), ("z",)))
    with pytest.raises(ArgumentError):
        again.in_shardings_jax("mesh")

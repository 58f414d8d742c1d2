"""Meshes of devices."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from treadle_ir import AbstractMesh, ArgumentError, PartitionSpec
from treadle_ir.core import AbstractDevice
from treadle_ir.errors import PlacementError
from treadle_runtime import Mesh, NamedSharding, device_put, devices, get_mesh, jit, make_mesh

GRID = np.array(devices()).reshape(3, 1)


def test_equal_ones_are_one() -> None:
    mesh = Mesh(GRID, ("x", "y"))
    assert Mesh([[each] for each in devices()], ["x", "y"]) is mesh
    assert pickle.loads(pickle.dumps(mesh)) is mesh
    assert Mesh(GRID, ("y", "x")) is not mesh
    assert Mesh(GRID[::-1], ("x", "y")) is not mesh


def test_what_is_in_it() -> None:
    mesh = Mesh(GRID, ("x", "y"))
    assert np.array_equal(mesh.devices, GRID)
    assert mesh.device_ids.tolist() == [[0], [1], [2]]
    assert dict(mesh.shape) == {"x": 3, "y": 1}
    assert mesh.local_mesh is mesh
    assert not mesh.is_multi_process
    assert mesh.update(axis_names=("a", "b")) is Mesh(GRID, ("a", "b"))


def test_without_devices_it_knows_their_kind() -> None:
    mesh = Mesh(GRID, ("x", "y"))
    kind = AbstractDevice(devices()[0].device_kind, None, "cpu")
    assert mesh.abstract_mesh is mesh.abstract_mesh
    assert mesh.abstract_mesh.abstract_device == kind
    assert mesh.abstract_mesh == AbstractMesh((3, 1), ("x", "y"), abstract_device=kind)
    assert mesh.axes == mesh.abstract_mesh.axes == AbstractMesh((3, 1), ("x", "y"))


def test_programs_do_not_know_the_kind_of_devices() -> None:
    sharding = NamedSharding(Mesh(GRID, ("x", "y")), PartitionSpec("x"))
    text = str(jit(lambda x: device_put(x, sharding)).trace(np.ones(3, np.float32)).program)
    assert "AbstractMesh(axis_sizes=(3, 1), axis_names=" in text
    assert "device_kind" not in text


def test_it_is_in_force_within_with() -> None:
    mesh = Mesh(GRID, ("x", "y"))
    with mesh:
        assert get_mesh() is mesh
    assert get_mesh().empty


def test_the_first_devices() -> None:
    assert make_mesh((2,), ("x",)).device_ids.tolist() == [0, 1]
    assert make_mesh((1,), ("x",), devices=devices()[2:]).device_ids.tolist() == [2]
    with pytest.raises(PlacementError, match="takes 4 devices"):
        make_mesh((2, 2), ("x", "y"))


def test_the_two_names_of_the_sizes() -> None:
    expected = make_mesh((2,), ("x",))
    assert make_mesh(axis_shapes=(2,), axis_names=("x",)) == expected
    assert make_mesh(axis_sizes=(2,), axis_names=("x",)) == expected
    with pytest.raises(ArgumentError, match="axis_sizes must be"):
        make_mesh(axis_sizes=2, axis_names=("x",))  # type: ignore[call-overload]
    with pytest.raises(ArgumentError, match="are one argument"):
        make_mesh((2,), ("x",), axis_sizes=(2,))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("grid", "names"),
    [
        (GRID, ("x",)),
        (GRID, ("x", "x")),
        ([devices()[0]] * 2, ("x",)),
        (["cpu"], ("x",)),
        ("cpu", ("x",)),
    ],
)
def test_what_is_none(grid: Any, names: Any) -> None:
    with pytest.raises(ArgumentError):
        Mesh(grid, names)


@pytest.mark.parametrize("nothing", [np.empty((), object), []])
def test_a_mesh_of_nothing_has_no_axes(nothing: Any) -> None:
    mesh = Mesh(nothing, ())
    assert mesh.empty
    assert mesh.axis_names == ()


def test_no_device_has_no_axis() -> None:
    with pytest.raises(ArgumentError, match="is not a device"):
        Mesh(np.empty((), object), ("x",))


def test_one_device_without_axes() -> None:
    assert Mesh(np.array(devices()[0]), ()).is_scalar
    assert not Mesh(np.array(devices()[:1]), ("x",)).is_scalar
    assert not Mesh(np.array([]), ()).is_scalar

"""Shardings over the axes of a mesh."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest

from treadle_ir import AbstractMesh, ArgumentError, PartitionSpec as P
from treadle_ir.errors import PlacementError, ShardingError
from treadle_runtime import Mesh, NamedSharding, SingleDeviceSharding, device_put, devices

MESH = Mesh(np.array(devices()).reshape(3, 1), ("x", "y"))


def test_equal_ones_are_one() -> None:
    assert NamedSharding(MESH, P("x")) is NamedSharding(MESH, P("x"))
    assert NamedSharding(MESH, P("x")) is not NamedSharding(MESH, P("x", None))
    assert NamedSharding(MESH, P("x")).is_equivalent_to(NamedSharding(MESH, P("x", None)), 2)
    assert pickle.loads(pickle.dumps(NamedSharding(MESH, P("x")))) is NamedSharding(MESH, P("x"))


def test_parts_are_what_numpy_splits() -> None:
    host = np.arange(54).reshape(6, 9)
    for axis, spec in ((0, P("x")), (1, P(None, "x")), (1, P("y", "x")), (0, P(("y", "x")))):
        sharding = NamedSharding(MESH, spec)
        found = [host[part] for part in sharding.parts(host.shape)]
        for one, other in zip(found, np.split(host, 3, axis), strict=True):
            assert np.array_equal(one, other)
        assert sharding.shard_shape(host.shape) == found[0].shape
        assert not sharding.is_fully_replicated
    assert NamedSharding(MESH, P("y")).is_fully_replicated
    assert [*NamedSharding(MESH, P()).devices_indices_map((2,)).values()] == [(slice(None),)] * 3


def test_equivalence_is_that_of_the_parts() -> None:
    specs = [P(), P("x"), P("y"), P(None, "x"), P("x", "y"), P(("x", "y"))]
    for one, other in itertools.product([NamedSharding(MESH, spec) for spec in specs], repeat=2):
        same = one.parts((6, 6)) == other.parts((6, 6))
        assert one.is_equivalent_to(other, 2) == same
    assert not NamedSharding(MESH, P()).is_equivalent_to(SingleDeviceSharding(devices()[0]), 1)


def test_over_an_abstract_mesh_it_describes() -> None:
    mesh = AbstractMesh((3, 1), ("x", "y"))
    sharding = NamedSharding(mesh, P("x"))
    assert sharding.mesh == mesh
    assert sharding is NamedSharding(AbstractMesh((3, 1), ("x", "y")), P("x"))
    assert pickle.loads(pickle.dumps(sharding)) is sharding
    assert sharding.shard_shape((6, 2)) == (2, 2)
    assert (sharding.num_devices, sharding.is_fully_replicated) == (3, False)
    assert sharding.is_equivalent_to(NamedSharding(mesh, P("x", None)), 2)
    assert not sharding.is_equivalent_to(NamedSharding(mesh, P()), 2)
    assert not sharding.is_equivalent_to(NamedSharding(MESH, P("x")), 2)
    assert not NamedSharding(MESH, P("x")).is_equivalent_to(sharding, 2)
    assert sharding.update(mesh=MESH) is NamedSharding(MESH, P("x"))
    for ask in (
        lambda: sharding.device_set,
        lambda: sharding.is_fully_addressable,
        lambda: sharding.devices_indices_map((3,)),
    ):
        with pytest.raises(PlacementError, match="its mesh is abstract"):
            ask()
    with pytest.raises(ShardingError):
        NamedSharding(mesh, P("z"))


@pytest.mark.parametrize(
    ("mesh", "spec", "error"),
    [
        (MESH, P("z"), ShardingError),
        (MESH, P("x", "x"), ShardingError),
        (MESH, P(("x", "x")), ShardingError),
        (MESH, "x", ArgumentError),
        (None, P("x"), ArgumentError),
        (Mesh([], ()), P(), ArgumentError),
    ],
)
def test_what_is_none(mesh: Any, spec: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        NamedSharding(mesh, spec)


def test_shapes_that_do_not_fit() -> None:
    for shape in ((4,), (), (3, 4)):
        sharding = NamedSharding(MESH, P("x") if len(shape) < 2 else P(None, "x"))
        with pytest.raises(ShardingError):
            sharding.shard_shape(shape)
        with pytest.raises(ShardingError):
            device_put(np.ones(shape), sharding)


def test_which_axes_divide_nothing() -> None:
    assert NamedSharding(MESH, P("x")).replicated_axes == {"y"}
    assert NamedSharding(MESH, P(None, ("x", "y"))).replicated_axes == frozenset()
    assert NamedSharding(MESH, P()).replicated_axes == {"x", "y"}


def test_ranks_that_go_with_a_sharding() -> None:
    NamedSharding(MESH, P("x")).check_compatible_aval((2, 5))  # of sizes nothing is asked
    SingleDeviceSharding(devices()[0]).check_compatible_aval(())
    with pytest.raises(ValueError, match="axes"):
        NamedSharding(MESH, P("x")).check_compatible_aval(())
    with pytest.raises(ArgumentError, match="aval_shape"):
        SingleDeviceSharding(devices()[0]).check_compatible_aval("x")  # type: ignore[arg-type]


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_in_jaxlibs_terms_copies_are_no_parts_of_the_array(copies: int) -> None:
    mesh = AbstractMesh((2, copies), ("x", "y"))
    tiled = NamedSharding(mesh, P("x")).tiled(1)
    assert tiled.replicate_on_last_tile_dim() == (copies > 1)
    assert tiled.tile_assignment_dimensions() == [2] + [copies] * (copies > 1)

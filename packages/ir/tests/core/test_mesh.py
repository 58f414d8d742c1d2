"""Meshes without devices, and specifications over them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, strategies as st

from treadle_ir import AbstractMesh, ArgumentError, AxisType, PartitionSpec as P
from treadle_ir.core import (
    AbstractDevice,
    PartialSums,
    check_names,
    layout_of,
    part_shape,
    partial_sums_of,
    parts_of,
    spec_of,
)
from treadle_ir.errors import ShardingError

MESH = AbstractMesh((4, 2), ("x", "y"))
ENTRIES = st.sampled_from([None, "x", "y", ("x", "y"), ("y", "x"), P.UNCONSTRAINED])


@given(st.lists(ENTRIES, max_size=3), st.integers(3, 5))
def test_a_layout_says_the_same(entries: list[Any], ndim: int) -> None:
    layout = layout_of(P(*entries), ndim)
    assert len(layout) == ndim
    assert layout_of(spec_of(layout), ndim) == layout


@given(st.permutations([("x",), ("y",), ()]), st.tuples(*[st.integers(0, 3)] * 3))
def test_parts_fill_the_whole(layout: list[tuple[str, ...]], times: tuple[int, int, int]) -> None:
    counts = parts_of(tuple(layout), MESH)
    shape = tuple([n * count for n, count in zip(times, counts, strict=True)])
    assert part_shape(shape, tuple(layout), MESH) == times


def test_unequal_parts() -> None:
    with pytest.raises(ShardingError, match="its size 6 is not a multiple of 4"):
        part_shape((2, 6), ((), ("x",)), MESH)


@pytest.mark.parametrize("spec", [P("z"), P("x", "x"), P("x", ("y", "x"))])
def test_names_that_do_not_fit(spec: P) -> None:
    with pytest.raises(ShardingError):
        check_names(spec, MESH)


def test_sums_are_put_off_over_explicit_axes_only() -> None:
    explicit = MESH.with_types(AxisType.Explicit, ["x"])
    check_names(P("y", unreduced={"x"}), explicit)
    for spec in (P(unreduced={"y"}), P(reduced={"y"}), P(unreduced={"z"})):
        with pytest.raises(ShardingError, match="no explicit axis"):
            check_names(spec, explicit)


@given(st.sets(st.sampled_from("ab")), st.sets(st.sampled_from("cd")))
def test_a_layout_says_which_sums_are_put_off(unreduced: set[str], reduced: set[str]) -> None:
    spec = P("x", None, unreduced=unreduced, reduced=reduced)
    layout = layout_of(spec, 3)
    assert (*layout,) == (("x",), (), ())
    assert partial_sums_of(layout) == PartialSums(frozenset(unreduced), frozenset(reduced))
    assert (layout == (("x",), (), ())) == (not unreduced and not reduced)
    assert spec_of(layout) == P("x", unreduced=unreduced, reduced=reduced)
    assert pickle.loads(pickle.dumps(layout)) == copy.copy(layout) == layout
    assert hash(layout_of(spec, 3)) == hash(layout)


def test_more_entries_than_axes() -> None:
    with pytest.raises(ShardingError, match="2 entries, but the array has only 1 axes"):
        layout_of(P(None, "x"), 1)


def test_axes_of_a_mesh() -> None:
    assert MESH.shape == {"x": 4, "y": 2}
    assert (MESH.size, MESH.empty, MESH.auto_axes) == (8, False, ("x", "y"))
    mixed = MESH.with_types(AxisType.Manual, ["y"])
    assert (mixed.auto_axes, mixed.manual_axes, mixed.explicit_axes) == (("x",), ("y",), ())
    assert AbstractMesh((), ()).empty


def test_what_is_no_mesh() -> None:
    given: list[tuple[Any, ...]] = [
        ((4,), ("x", "y")),
        ((4, 2), ("x", "x")),
        ((0,), ("x",)),
        ((4,), (3,)),
        ((4,), ("x",), (AxisType.Auto,) * 2),
        ((4,), ("x",), ("auto",)),
        ("x", ("x",)),
    ]
    for arguments in given:
        with pytest.raises(ArgumentError):
            AbstractMesh(*arguments)


@pytest.mark.parametrize("kind", AxisType)
def test_whether_all_axes_are_of_a_type(kind: AxisType) -> None:
    def asked(mesh: AbstractMesh) -> dict[AxisType, bool]:
        return {
            AxisType.Auto: mesh.are_all_axes_auto,
            AxisType.Explicit: mesh.are_all_axes_explicit,
            AxisType.Manual: mesh.are_all_axes_manual,
        }

    assert asked(AbstractMesh((4, 2), ("x", "y"), (kind, kind))) == {k: k is kind for k in AxisType}
    other = next(k for k in AxisType if k is not kind)
    assert not any(asked(AbstractMesh((4, 2), ("x", "y"), (kind, other))).values())
    assert not any(asked(AbstractMesh((), ())).values())


def test_whether_the_compiler_lays_out_no_axis() -> None:
    def asked(*kinds: AxisType) -> bool:
        return AbstractMesh((4, 2), ("x", "y"), kinds).are_all_axes_explicit_or_manual

    auto, explicit, manual = AxisType.Auto, AxisType.Explicit, AxisType.Manual
    assert asked(explicit, explicit)
    assert asked(explicit, manual)
    assert asked(manual, manual)
    assert not asked(explicit, auto)
    assert not asked(auto, auto)
    assert not AbstractMesh((), ()).are_all_axes_explicit_or_manual


def test_a_mesh_without_devices_may_know_their_kind() -> None:
    kind = AbstractDevice("TPU v4", 2, "tpu")
    mesh = AbstractMesh((4,), ("x",), abstract_device=kind)
    assert mesh.abstract_device == AbstractDevice("TPU v4", 2, "tpu")
    assert mesh != mesh.axes == AbstractMesh((4,), ("x",))
    assert mesh.axes.abstract_device is None
    assert mesh.abstract_mesh is mesh
    assert mesh.with_types(AxisType.Explicit, ["x"]).abstract_device is kind
    assert str(mesh) == (
        "AbstractMesh('x': 4, axis_types=(Auto,), device_kind=TPU v4, num_cores=2, platform=tpu)"
    )
    assert pickle.loads(pickle.dumps(mesh)) == mesh
    wrong: Any = "tpu"
    with pytest.raises(ArgumentError, match="abstract_device"):
        AbstractMesh((4,), ("x",), abstract_device=wrong)


def test_other_types_of_abstract_axes() -> None:
    mesh = AbstractMesh((4, 2), ("x", "y"))
    changed = mesh.update_axis_types({"y": AxisType.Explicit})
    assert changed.axis_types == (AxisType.Auto, AxisType.Explicit)
    assert changed.update_axis_types({"y": AxisType.Auto, "other": AxisType.Auto}) == mesh
    assert mesh.update(axis_types=changed.axis_types) == changed
    assert mesh.update() == mesh
    assert mesh.update((2,), ("q",), (AxisType.Auto,)) == AbstractMesh((2,), ("q",))
    with pytest.raises(ArgumentError, match="names"):
        mesh.update(axis_names=("u",))
    with pytest.raises(TypeError, match="foo"):
        mesh.update(foo=None)

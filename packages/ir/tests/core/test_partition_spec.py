"""Specifications over the axes of a mesh."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from treadle_ir import ArgumentError, PartitionSpec as P

ENTRIES = st.sampled_from([None, "x", "y", ("x", "y"), ("y", "x"), P.UNCONSTRAINED])


def test_entries_are_what_users_write() -> None:
    assert P("x", None, ("y", "z")) == ("x", None, ("y", "z"))
    assert P(("x",), ()) == P("x", None)
    assert P(["x", "y"]) == P(("x", "y"))
    assert [*P("x", None)] == ["x", None]
    assert (P("x", None)[0], len(P("x", None))) == ("x", 2)
    assert P("x") + P("y") == P("x", "y") == ("x", *P("y"))
    assert P("x") != P("x", None)
    assert len({P("x"), P("x"), P("y")}) == 2
    assert repr(P("x", ("y", "z"))) == "P('x', ('y', 'z'))"


@given(st.lists(ENTRIES, max_size=3))
def test_copies_are_equal(entries: list[Any]) -> None:
    spec = P(*entries)
    assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec


def test_what_is_no_specification() -> None:
    for entry in (3, ("x", 3), {"x"}):
        with pytest.raises(ArgumentError):
            P(entry)
    with pytest.raises(AttributeError, match="immutable"):
        P("x").entries = ()


def test_sums_that_are_put_off() -> None:
    spec = P("x", unreduced={"y"}, reduced=["z"])
    assert spec.unreduced == {"y"}
    assert spec.reduced == {"z"}
    assert repr(spec) == "P('x', unreduced={'y'}, reduced={'z'})"
    assert repr(P(unreduced={"z", "y"})) == "P(unreduced={'y', 'z'})"
    assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec
    assert len({spec, P("x"), P("x", unreduced={"y"}), P("x", reduced={"y"})}) == 4
    assert P("x", unreduced={"y"}) != ("x",)
    assert P("x", unreduced=()) == P("x")
    assert spec.update(partitions=(None,)) == P(None, unreduced={"y"}, reduced={"z"})
    assert spec.update(unreduced=(), reduced=()) == P("x")
    assert P("x") + P(None, unreduced={"y"}) == P("x", None, unreduced={"y"})
    before: tuple[str, ...] = ("x",)
    assert before + P(reduced={"y"}) == P("x", reduced={"y"})


def test_sums_that_cannot_be() -> None:
    for wrong_kind in ("x", "", None, np.array([]), np.array(["x", "y"])):
        with pytest.raises(ArgumentError, match="a set of names"):
            P(unreduced=wrong_kind)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="the name of an axis"):
        P(reduced={1})  # type: ignore[arg-type]
    for wrong in (
        lambda: P("x", unreduced={"x"}),
        lambda: P(("y", "x"), reduced={"x"}),
        lambda: P(unreduced={"x"}, reduced={"x"}),
    ):
        with pytest.raises(ArgumentError, match="the axis 'x' stands there twice"):
            wrong()


def test_entries_are_found_and_counted() -> None:
    spec = P("x", None, ("y",), None)
    assert (spec.index("x"), spec.index(None), spec.index("y")) == (0, 1, 2)
    assert (spec.count(None), spec.count("y"), spec.count("z")) == (2, 1, 0)
    with pytest.raises(ValueError, match="not in tuple"):
        spec.index("z")
    with pytest.raises(ArgumentError, match="each entry"):
        spec.index(1.5)


def test_comparing_with_any_tuple() -> None:
    assert P("x") != (("x", 1),)
    assert P("x") != (1.5, -1)
    assert P("x", None) != ("x",)
    assert (P("x").count(1.5), P("x").count((1, 2))) == (0, 0)


def test_equal_tuples_have_the_same_hash() -> None:
    assert P("x", ("y", "z")) == ("x", ("y", "z"))
    assert hash(P("x", ("y", "z"))) == hash(("x", ("y", "z")))
    assert P(("x",)) == P("x")
    assert P(("x",)) != (("x",),)


def test_entries_as_a_tuple() -> None:
    assert P("x", None, ("y", "z")).partitions == ("x", None, ("y", "z"))
    assert P().partitions == ()

from __future__ import annotations

import pytest

import treadle
from treadle import api_util
from treadle.errors import ArgumentError, StructureError

TREE = treadle.tree.structure({"a": 1, "b": (2, 3)})


def test_donated_leaves_follow_arguments_and_names() -> None:
    structure = treadle.tree.structure(((1.0, (2.0, 3.0)), {"k": 4.0, "l": 5.0}))
    assert api_util.donation_vector((1,), ("l",), structure) == (False, True, True, False, True)
    positional = treadle.tree.structure((1.0, 2.0))
    assert api_util.donation_vector((0,), (), positional, kws=False) == (True, False)


def test_donated_arguments_are_counted_without_static_ones() -> None:
    assert api_util.rebase_donate_argnums((5, 2), (0, 3)) == (1, 3)
    with pytest.raises(ArgumentError, match=r"\[1\] are static and donated"):
        api_util.rebase_donate_argnums((1,), (1,))


def test_axes_are_a_prefix() -> None:
    assert api_util.flatten_axes("in_axes", TREE, {"a": 0, "b": 1}) == [0, 1, 1]
    assert api_util.flatten_axes("in_axes", TREE, None) == [None, None, None]
    called = treadle.tree.structure(((1, 2), {"k": 3}))
    assert api_util.flatten_axes("in_axes", called, (1, None), kws=True) == [1, None, 0]
    with pytest.raises(StructureError, match="in_axes must be a prefix"):
        api_util.flatten_axes("in_axes", TREE, {"a": 0, "c": 1})


def test_safe_map_refuses_different_lengths() -> None:
    assert api_util.safe_map(max, [1, 5], [3, 2]) == [3, 5]
    with pytest.raises(ArgumentError, match=r"\[1, 2\]"):
        api_util.safe_map(max, [1], [2, 3])


def test_shaped_abstractify_gives_types() -> None:
    assert api_util.shaped_abstractify(2.0).shape == ()
    with pytest.raises(TypeError):
        api_util.shaped_abstractify("text")

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

import pytest
from hypothesis import given, strategies as st

from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree import flatten
from treadle_ir.tree.flatten import (
    flatten_leaves_and_structure,
    leaves_in_any_order,
    tree_flatten,
    tree_flatten_with_path,
    tree_leaves,
    tree_leaves_with_path,
    tree_structure,
)
from treadle_ir.tree.paths import DictKey, GetAttrKey, SequenceKey


def same(a: Any, b: Any) -> bool:
    """Equality that tells containers apart, which `==` does not."""
    if type(a) is not type(b) or (
        isinstance(a, defaultdict) and a.default_factory is not b.default_factory
    ):
        return False
    if isinstance(a, OrderedDict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def follow(tree: Any, path: Any) -> Any:
    for key in path:
        match key:
            case SequenceKey(idx):
                tree = tree[idx]
            case DictKey(name):
                tree = tree[name]
            case GetAttrKey(name):
                tree = getattr(tree, name)
    return tree


@given(st.data())
def test_unflatten_is_the_inverse(trees: st.SearchStrategy[Any], data: st.DataObject) -> None:
    tree = data.draw(trees)
    leaves, structure = tree_flatten(tree)
    assert structure.num_leaves == len(leaves)
    again = structure.unflatten(leaves)
    assert same(again, tree)
    assert tree_flatten(again) == (leaves, structure)


@given(st.data())
def test_all_ways_to_flatten_agree(trees: st.SearchStrategy[Any], data: st.DataObject) -> None:
    tree = data.draw(trees)
    leaves, structure = flatten_leaves_and_structure(tree)
    pairs, with_path = tree_flatten_with_path(tree)
    assert tree_flatten(tree, is_leaf=lambda _: False) == (leaves, structure)
    assert ([leaf for _, leaf in pairs], with_path) == (leaves, structure)
    assert tree_leaves(tree) == leaves
    assert sorted(leaves_in_any_order(tree)) == sorted(leaves)
    assert tree_structure(tree) == structure


@given(st.data())
def test_following_a_path_reaches_the_leaf(
    trees: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    tree = data.draw(trees)
    pairs = tree_leaves_with_path(tree)
    assert all(follow(tree, path) is leaf for path, leaf in pairs)
    assert len({path for path, _ in pairs}) == len(pairs)


def test_order_of_leaves() -> None:
    assert tree_leaves({"b": 1, "a": 2}) == [2, 1]
    assert tree_leaves(OrderedDict(b=1, a=2)) == [1, 2]
    assert tree_leaves(defaultdict(list, b=1, a=2)) == [2, 1]
    assert tree_leaves({f"k{i:02}": i for i in reversed(range(30))}) == list(range(30))
    assert tree_leaves([None, (), [], {}]) == []


def test_long_and_short_containers() -> None:
    for size in (0, 1, 7, 8, 9, 63, 64, 65, 300):
        for tree in (tuple(range(size)), list(range(size)), dict(enumerate(range(size)))):
            leaves, structure = tree_flatten(tree)
            assert leaves == list(range(size))
            assert structure.unflatten(leaves) == tree
            assert [leaf for _, leaf in tree_leaves_with_path(tree)] == leaves
            assert structure.num_nodes == size + 1


def test_the_list_of_leaves_is_the_callers() -> None:
    tree = [1, 2]
    tree_leaves(tree).append(3)
    assert tree == [1, 2]


def test_a_predicate_is_asked_about_everything() -> None:
    asked: list[Any] = []
    tree = [1, (2, None)]
    tree_flatten(tree, is_leaf=asked.append)  # type: ignore[arg-type]
    assert asked == [tree, 1, (2, None), 2, None]
    assert tree_leaves([1, (2, 3)], is_leaf=lambda x: isinstance(x, tuple)) == [1, (2, 3)]
    assert tree_leaves((1,), is_leaf=lambda _: True) == [(1,)]
    assert tree_leaves_with_path((1,), is_leaf=lambda _: True) == [((), (1,))]


def test_a_predicate_may_take_the_path() -> None:
    pairs = tree_leaves_with_path(
        {"a": [1, [2]]}, is_leaf=lambda path, _: len(path) == 2, is_leaf_takes_path=True
    )
    assert [leaf for _, leaf in pairs] == [1, [2]]


def test_deep_trees(deep: Any) -> None:
    leaves, structure = tree_flatten(deep)
    assert structure == tree_flatten(deep, is_leaf=lambda _: False)[1]
    assert tree_structure(structure.unflatten(leaves)) == structure
    path, leaf = tree_leaves_with_path(deep)[-1]
    assert leaf == 1
    assert len(path) == 10_000


def test_leaves_in_any_order(deep: Any) -> None:
    assert leaves_in_any_order(deep) == tree_leaves(deep)
    many = [(2 * i, {"b": 2 * i + 1}) for i in range(flatten.MOST_OPENED)]
    assert sorted(leaves_in_any_order(many)) == [*range(2 * flatten.MOST_OPENED)]
    assert sorted(leaves_in_any_order({1: 1, "a": 2})) == [1, 2]  # keys that have no order


def test_depth_has_an_end(monkeypatch: pytest.MonkeyPatch, deep: Any) -> None:
    monkeypatch.setattr(flatten, "MAX_DEPTH", 2_000)
    with pytest.raises(TreeError, match="more than 2000 levels deep"):
        tree_flatten(deep)


def test_a_part_that_is_shared_is_no_circle() -> None:
    shared: Any = [1]
    for _ in range(1_010):
        shared = [shared]
    assert tree_leaves([shared, shared, (shared,)]) == [1, 1, 1]


@pytest.mark.parametrize("wrap", [list, lambda x: {"a": x[0], "b": x[1]}])
def test_a_container_in_itself_is_refused(wrap: Any) -> None:
    tree: Any = [1]
    tree.append(wrap([2, tree]))
    with pytest.raises(TreeError, match="contains itself") as caught:
        tree_flatten(tree)
    assert "  fix: look for a container that contains itself" in caught.value.__notes__
    with pytest.raises(TreeError, match="contains itself"):
        tree_leaves(tree, is_leaf=lambda _: False)
    with pytest.raises(TreeError, match="contains itself"):
        leaves_in_any_order(tree)

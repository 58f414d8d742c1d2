from __future__ import annotations

import functools
import operator
import pickle
from typing import Any

import pytest
from hypothesis import given, strategies as st

from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree.flatten import (
    flatten_leaves_and_structure,
    tree_flatten,
    tree_leaves,
    tree_leaves_with_path,
    tree_structure,
)
from treadle_ir.tree.functions import (
    Partial,
    all_leaves,
    broadcast_prefix,
    flatten_one_level,
    flatten_one_level_with_keys,
    tree_all,
    tree_broadcast,
    tree_map,
    tree_map_with_path,
    tree_reduce,
    tree_reduce_associative,
    tree_transpose,
    treedef_is_leaf,
    treedef_tuple,
)
from treadle_ir.tree.paths import DictKey, SequenceKey, keystr


@given(st.data())
def test_map_laws(trees: st.SearchStrategy[Any], data: st.DataObject) -> None:
    tree = data.draw(trees)

    def double(x: int) -> int:
        return 2 * x

    def grow(x: int) -> int:
        return x + 1

    assert tree_map(lambda x: x, tree) == tree
    assert tree_map(grow, tree_map(double, tree)) == tree_map(lambda x: grow(double(x)), tree)
    assert tree_map(operator.sub, tree, tree) == tree_map(lambda _: 0, tree)
    assert tree_structure(tree_map(str, tree)) == tree_structure(tree)
    seen: list[Any] = []
    tree_map_with_path(lambda path, x, y: seen.append((path, x if x == y else None)), tree, tree)
    assert seen == tree_leaves_with_path(tree)


def test_map_gives_subtrees_of_the_further_trees() -> None:
    assert tree_map(lambda x, y: (x, y), [1, 2], [(3, 4), None]) == [(1, (3, 4)), (2, None)]
    assert tree_map(lambda x: x or 0, [1, None], is_leaf=lambda x: x is None) == [1, 0]


def test_map_names_where_trees_differ() -> None:
    a, b = {"layers": [{"w": 1}]}, {"layers": [{"w": 1, "b": 2}]}
    with pytest.raises(ValueError, match="tree_map") as caught:
        tree_map(lambda *_: 0, a, a, b)
    assert str(caught.value) == (
        "tree_map: tree 0 and tree 2 differ at ['layers'][0]: "
        "dict with keys ['w'] and dict with keys ['b', 'w']"
    )
    assert caught.value.__notes__[-1].startswith("  fix: ")
    with pytest.raises(TreeError, match=r"tree_map_with_path: tree 0 and tree 1 differ at \[0\]"):
        tree_map_with_path(lambda *_: 0, [[1]], [2])


def test_reductions() -> None:
    tree = {"b": [1, 2], "a": 3}
    assert tree_reduce(operator.add, tree) == 6
    assert tree_reduce(operator.add, tree, 10) == 16
    assert tree_reduce(lambda a, b: b, [1], None) == 1
    assert tree_reduce_associative(operator.add, list("abcde")) == "abcde"
    assert tree_reduce_associative(operator.add, [], identity=7) == 7
    assert tree_all([1, True])
    assert not tree_all([1, {"a": 0}])
    for reduce in (tree_reduce, tree_reduce_associative):
        with pytest.raises(TypeError, match="the tree has no leaves"):
            reduce(operator.add, None)


@given(st.lists(st.text("abc", max_size=1), min_size=1))
def test_associative_reduction_keeps_the_order(words: list[str]) -> None:
    assert tree_reduce_associative(operator.add, words) == "".join(words)


def test_transpose() -> None:
    tree = [{"a": 1, "b": (2, 3)}, {"a": 4, "b": (5, 6)}]
    outer, inner = tree_structure([0, 0]), tree_structure(tree[0])
    expected = {"a": [1, 4], "b": ([2, 5], [3, 6])}
    assert tree_transpose(outer, inner, tree) == expected
    assert tree_transpose(outer, None, tree) == expected
    with pytest.raises(TypeError, match=r"tree_transpose: .* differ at \[1\]: dict"):
        tree_transpose(outer, inner, [tree[0], 3])
    with pytest.raises(TypeError, match="no leaves"):
        tree_transpose(tree_structure([]), None, [])


@given(st.data())
def test_broadcast_gives_one_value_per_leaf(
    trees: st.SearchStrategy[Any], small_trees: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    prefix = data.draw(trees)
    leaves, structure = tree_flatten(prefix)
    subtrees = [data.draw(small_trees) for _ in leaves]
    full = structure.unflatten(subtrees)
    values = broadcast_prefix(prefix, full)
    assert values == [x for x, t in zip(leaves, subtrees, strict=True) for _ in tree_leaves(t)]
    assert tree_structure(tree_broadcast(prefix, full)) == tree_structure(full)


def test_broadcast_with_none_as_a_value_and_its_error() -> None:
    def is_none(x: object) -> bool:
        return x is None

    assert broadcast_prefix((0, None), (1, {"a": 2, "b": 3}), is_leaf=is_none) == [0, None, None]
    with pytest.raises(ValueError, match="broadcast_prefix") as caught:
        broadcast_prefix({"a": (0, 1)}, {"a": (0, 1, 2)})
    assert str(caught.value) == (
        "broadcast_prefix: prefix and tree differ at ['a']: tuple of 2 and tuple of 3"
    )


def test_structures_of_structures() -> None:
    parts = [tree_structure(x) for x in (0, [1], None, (0, 0), 0)]
    assert treedef_tuple(parts) == tree_structure((0, [1], None, (0, 0), 0))
    assert treedef_tuple([]) == tree_structure(())
    assert treedef_is_leaf(tree_structure(None))
    assert not treedef_is_leaf(tree_structure([0]))
    assert all_leaves([1, (2,)], is_leaf=lambda x: isinstance(x, tuple))


def test_one_level() -> None:
    assert flatten_one_level({"b": [1], "a": 2}) == ((2, [1]), ("a", "b"))
    assert flatten_one_level_with_keys([7]) == ([(SequenceKey(0), 7)], None)
    assert flatten_one_level_with_keys({"a": 1})[0] == [(DictKey("a"), 1)]
    for function in (flatten_one_level, flatten_one_level_with_keys):
        with pytest.raises(ValueError, match="expected a node, got a int leaf"):
            function(1)


def test_deep_trees(deep: Any) -> None:
    mapped = tree_map(lambda x, y: x + y, deep, deep)
    assert tree_leaves(mapped)[-1] == 2
    assert broadcast_prefix(deep, deep) == flatten_leaves_and_structure(deep)[0]


def test_partial_is_a_node() -> None:
    partial = Partial(max, 1, [2], key=None)
    leaves, structure = tree_flatten(partial)
    assert leaves == [1, 2]
    again = structure.unflatten([3, 4])
    assert type(again) is Partial
    assert (again.func, again.args, again.keywords) == (max, (3, [4]), {"key": None})
    assert (
        structure
        == tree_structure(Partial(max, 5, [6], key=None))
        != tree_structure(Partial(min, 5))
    )
    assert keystr(tree_leaves_with_path(partial)[1][0]) == ".args[1][0]"
    assert Partial(operator.sub, 5)(3) == 2


def test_partial_of_partial_keeps_the_inner_arguments_out() -> None:
    for inner in (functools.partial(max, 1), Partial(max, 1)):
        outer = Partial(inner, 2)
        assert tree_leaves(outer) == [2]
        assert outer(0) == 2
        assert tree_structure(outer) == tree_structure(Partial(inner, 3))
        assert hash(tree_structure(outer)) == hash(tree_structure(Partial(inner, 3)))
        assert pickle.loads(pickle.dumps(outer))(0) == 2


@pytest.mark.parametrize("given", [3, list])
def test_all_leaves_wants_an_iterable(given: Any) -> None:
    with pytest.raises(TypeError, match="all_leaves: iterable must be an iterable"):
        all_leaves(given)

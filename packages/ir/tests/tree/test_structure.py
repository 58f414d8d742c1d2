from __future__ import annotations

import copy
import pickle
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import pytest
from hypothesis import given, strategies as st

from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree.flatten import tree_flatten, tree_leaves, tree_structure
from treadle_ir.tree.registry import register_pytree_node
from treadle_ir.tree.structure import LEAF, PyTreeDef, flat_tuple

Point = namedtuple("Point", "x y")


class Tagged:
    def __init__(self, tag: Any, *items: Any) -> None:
        self.tag, self.items = tag, items


register_pytree_node(Tagged, lambda t: (t.items, t.tag), lambda tag, items: Tagged(tag, *items))


def marks(tree: Any) -> Any:
    """The same tree with each leaf replaced: what a structure is, by another definition."""
    if isinstance(tree, defaultdict):
        return "defaultdict", tree.default_factory, {k: marks(v) for k, v in tree.items()}
    if isinstance(tree, OrderedDict):
        return "ordered", [(k, marks(v)) for k, v in tree.items()]
    if isinstance(tree, dict):
        return "dict", {k: marks(v) for k, v in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree).__name__, [marks(x) for x in tree]
    return "none" if tree is None else "leaf"


@given(st.data())
def test_structures_are_equal_iff_the_shapes_are(
    trees: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    a, b = data.draw(trees), data.draw(trees)
    one, two = tree_structure(a), tree_structure(b)
    assert (one == two) == (marks(a) == marks(b))
    if one == two:
        assert hash(one) == hash(two)


@given(st.data())
def test_children_and_compose(trees: st.SearchStrategy[Any], data: st.DataObject) -> None:
    outer, inner = data.draw(trees), data.draw(trees)
    structure = tree_structure(outer)
    composed = structure.compose(tree_structure(inner))
    leaves = tree_leaves(outer)
    assert composed == tree_structure(structure.unflatten([inner] * len(leaves)))
    wrapped = tree_structure([outer, inner, 0, outer])
    expected = [structure, tree_structure(inner), LEAF, structure]
    assert wrapped.children() == expected


@given(st.data())
def test_flatten_up_to_finds_the_subtrees(
    trees: st.SearchStrategy[Any], small_trees: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    outer = data.draw(trees)
    leaves, structure = tree_flatten(outer)
    subtrees = [data.draw(small_trees) for _ in leaves]
    found = structure.flatten_up_to(structure.unflatten(subtrees))
    assert len(found) == len(subtrees)
    assert all(a is b for a, b in zip(found, subtrees, strict=True))


@given(st.data())
def test_copies_are_the_same(trees: st.SearchStrategy[Any], data: st.DataObject) -> None:
    structure = tree_structure(data.draw(trees))
    assert pickle.loads(pickle.dumps(structure)) == structure
    assert copy.deepcopy(structure) is structure is copy.copy(structure)


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (0, "*"),
        (None, "None"),
        ((), "()"),
        ((0,), "(*,)"),
        ({"b": [1, 2], "a": 0}, "{'a': *, 'b': [*, *]}"),
        (Point(1, [None]), "Point(x=*, y=[None])"),
        (OrderedDict(b=1, a=2), "OrderedDict({'b': *, 'a': *})"),
        (defaultdict(int, a=1), "defaultdict(int, {'a': *})"),
        (Tagged("t", 1, (2,)), "Tagged['t'](*, (*,))"),
        (Tagged(None, 1), "Tagged(*)"),
    ],
)
def test_repr(tree: Any, text: str) -> None:
    assert repr(tree_structure(tree)) == f"PyTreeDef({text})"


def test_node_data_and_counts() -> None:
    assert tree_structure(0).node_data() is None
    assert tree_structure([0]).node_data() == (list, None)
    assert tree_structure({"b": 0, "a": 0}).node_data() == (dict, ["a", "b"])
    assert tree_structure(Point(0, 0)).node_data() == (Point, None)
    assert tree_structure(Tagged("t")).node_data() == (Tagged, "t")
    structure = tree_structure([0, (1, None), {"a": 2}])
    assert (structure.num_leaves, structure.num_nodes) == (3, 7)
    assert LEAF.is_leaf()
    assert not structure.is_leaf()
    assert flat_tuple(3) == tree_structure((1, 2, 3))


def test_structures_are_immutable_keys() -> None:
    structure = tree_structure([1, 2])
    with pytest.raises(AttributeError, match="immutable"):
        structure.num_leaves = 3
    with pytest.raises(AttributeError, match="immutable"):
        del structure.code
    with pytest.raises(TypeError, match="tree_structure"):
        PyTreeDef()
    assert {structure: 1}[tree_structure([3, 4])] == 1
    assert structure != [1, 2]


def test_the_number_of_leaves_must_fit() -> None:
    with pytest.raises(ValueError, match="unflatten: got 1 leaves for a structure of 2"):
        tree_structure([1, 2]).unflatten([1])
    with pytest.raises(TreeError, match="unflatten: got 3 leaves for a structure of 2"):
        tree_structure([1, 2]).unflatten(iter("abc"))


def test_metadata_that_cannot_be_hashed_or_compared() -> None:
    structure = tree_structure(Tagged([1], 2))
    assert structure == tree_structure(Tagged([1], 3))
    assert hash(structure) == hash(tree_structure(Tagged([1], 3)))
    assert structure != tree_structure(Tagged([2], 3))

    class Vague:
        def __eq__(self, other: object) -> bool:
            raise ValueError("ambiguous")

        __hash__ = object.__hash__

    with pytest.raises(ValueError, match="ambiguous") as vague:
        assert tree_structure(Tagged(Vague())) == tree_structure(Tagged(Vague()))
    assert "comparing the metadata" in vague.value.__notes__[0]


@pytest.mark.parametrize(
    ("prefix", "tree", "line"),
    [
        ([0], (0,), "the top level: list of 1 and tuple of 1"),
        ({"a": [0, 0]}, {"a": [0]}, "['a']: list of 2 and list of 1"),
        ([{"w": 0}], [{"b": 0}], "[0]: dict with keys ['w'] and dict with keys ['b']"),
        ([None], [3], "[0]: None and a leaf of type int"),
        (Point(0, [0]), Point(0, 1), ".y: list of 1 and a leaf of type int"),
        (
            [Tagged("a", 0)],
            [Tagged("b", 0)],
            "[0]: Tagged with 1 child and 'a' and Tagged with 1 child and 'b'",
        ),
    ],
)
def test_flatten_up_to_names_the_first_difference(prefix: Any, tree: Any, line: str) -> None:
    with pytest.raises(ValueError, match="flatten_up_to") as caught:
        tree_structure(prefix).flatten_up_to(tree)
    assert str(caught.value) == f"flatten_up_to: structure and tree differ at {line}"
    assert caught.value.__notes__[-1].startswith("  fix: ")


def test_deep_structures(deep: Any, deep_other: Any) -> None:
    one, two, again = map(tree_structure, (deep, deep_other, deep))
    assert one == again
    assert hash(one) == hash(again)
    assert one != two
    assert repr(one).count("*") == one.num_leaves
    assert pickle.loads(pickle.dumps(one)) == one
    assert one.flatten_up_to(deep_other)[-1] == [1]
    assert len(one.children()) == 1
    assert one.compose(tree_structure([0])).num_leaves == one.num_leaves
    with pytest.raises(TreeError, match="a leaf of type int"):
        two.flatten_up_to(deep)


def test_walks_see_children_before_their_node() -> None:
    seen: list[Any] = []

    def node(children: tuple[Any, ...], meta: Any) -> Any:
        seen.append((children, meta))
        return len(seen)

    structure = tree_structure({"a": (1, 2), "b": [None, 3]})
    assert structure.walk(node, str, [10, 20, 30]) == 4
    assert seen == [
        (("10", "20"), None),
        ((), None),
        ((2, "30"), None),
        ((1, 3), ["a", "b"]),
    ]
    assert tree_structure(1).walk(node, None, [5]) == 5
    with pytest.raises(TreeError, match="walk: got 2 leaves for a structure of 3"):
        structure.walk(node, None, [1, 2])


def test_a_structure_is_made_of_node_data_and_children() -> None:
    trees: list[Any] = [
        1,
        None,
        (),
        [1, (2, None)],
        {"b": 1, "a": [2]},
        Point(1, [2]),
        OrderedDict(b=1, a=2),
        defaultdict(int, a=1),
        Tagged("t", 1, 2),
    ]
    for tree in trees:
        known = tree_structure(tree)
        assert (
            PyTreeDef.from_node_data_and_children(None, known.node_data(), known.children())
            == known
        )
    kept = PyTreeDef.from_node_data_and_children(None, (dict, ["b", "a"]), iter([LEAF, LEAF]))
    assert kept.unflatten([1, 2]) == {"b": 1, "a": 2}


@pytest.mark.parametrize(
    ("node_data", "count"),
    [(None, 1), ((type(None), None), 1), ((dict, ["q"]), 2), ((Point, None), 3)],
)
def test_nodes_have_as_many_children_as_their_data_say(node_data: Any, count: int) -> None:
    with pytest.raises(TreeError, match=f"but {count} were given"):
        PyTreeDef.from_node_data_and_children(None, node_data, [LEAF] * count)


def test_only_nodes_have_children() -> None:
    with pytest.raises(TreeError, match="`int` is not a node type"):
        PyTreeDef.from_node_data_and_children(None, (int, None), [])

"""Expected structures: what `take` gives is what flattening gives, and None exactly where structures differ."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

from hypothesis import given, settings, strategies as st

from treadle_ir.tree import tree_flatten, tree_structure
from treadle_ir.tree.expect import MAX_TURNS, expectation

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "x y")
Empty = namedtuple("Empty", "")

LEAVES = st.integers(0, 3)
TREES = st.recursive(
    LEAVES | st.none(),
    lambda below: (
        st.lists(below, max_size=3)
        | st.lists(below, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from("abcd"), below, max_size=4)
        | st.builds(Point, below, below)
        | st.builds(Pair, below, below)
        | st.builds(Empty)
        | st.tuples(below, st.integers(1, 3)).map(lambda pair: [pair[0]] * pair[1])
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(TREES, TREES)
def test_take_is_flatten_where_structures_are_equal(one: Any, other: Any) -> None:
    leaves, structure = tree_flatten(one)
    expected = expectation(structure)
    if structure.is_leaf():
        assert expected is None
        return
    assert expected is not None
    assert expected.take(one) == leaves
    assert expected.structure is structure
    assert repr(expected.build(leaves)) == repr(structure.unflatten(leaves))
    found, actual = tree_flatten(other)
    assert expected.take(other) == (found if actual == structure else None)


def test_many_equal_nodes_and_one_that_is_not() -> None:
    layers = [{"w": i, "b": -i} for i in range(500)]
    expected = expectation(tree_structure(layers))
    assert expected is not None
    assert expected.take(layers) == tree_flatten(layers)[0]
    assert expected.regular
    assert expected.build(tree_flatten(layers)[0]) == layers
    assert expected.take([*layers[:-1], {"w": 1, "c": 2}]) is None
    assert expected.take([*layers[:-1], {"w": 1, "b": 2, "c": 3}]) is None
    assert expected.take([*layers[:-1], OrderedDict(w=1, b=2)]) is None
    assert expected.take([*layers[:-1], {"w": 1, "b": [2]}]) is None
    assert expected.take([*layers[:-1], {"w": 1, "b": None}]) is None
    assert expected.take(layers[:-1]) is None


def test_keys_in_another_order_are_the_same_structure() -> None:
    expected = expectation(tree_structure({"a": 1, "b": 2}))
    assert expected is not None
    assert expected.take({"b": 20, "a": 10}) == [10, 20]


def test_other_nodes_are_not_expected() -> None:
    assert expectation(tree_structure([OrderedDict(a=1)])) is None
    assert expectation(tree_structure(([1, 2], 3))).take((Point(1, 2), 3)) is None  # type: ignore[union-attr]


def test_namedtuples_are_told_apart() -> None:
    states = [Point({f"p{i}": i for i in range(n)}, n) for n in (5, 5, 5)]
    expected = expectation(tree_structure(states))
    assert expected is not None
    leaves = tree_flatten(states)[0]
    assert expected.take(states) == leaves
    assert expected.build(leaves) == states
    assert {type(each) for each in expected.build(leaves)} == {Point}
    assert expected.take([*states[:-1], Pair(*states[-1])]) is None
    assert expected.take([*states[:-1], tuple(states[-1])]) is None


def test_dicts_of_few_keys_leave_the_other_leaves() -> None:
    for count in range(6):
        layer = {f"k{i}": i for i in range(count)}
        tree = [[layer] * 20, [7, 8], [layer] * 3, 9]
        expected = expectation(tree_structure(tree))
        assert expected is not None
        assert expected.build(tree_flatten(tree)[0]) == tree


def test_depth() -> None:
    alike: Any = 0
    differing: Any = 0
    for _ in range(5000):
        alike = [alike]
        differing = [differing, 1]
    expected = expectation(tree_structure(alike))
    assert expected is not None
    assert expected.take(alike) == [0]
    assert expected.take(expected.build([1])) == [1]
    assert expectation(tree_structure(differing)) is None
    differing = 0
    for _ in range(MAX_TURNS - 1):
        differing = [differing, 1]
    expected = expectation(tree_structure(differing))
    assert expected is not None
    assert expected.take(differing) == [0] + [1] * (MAX_TURNS - 1)

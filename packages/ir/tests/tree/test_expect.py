"""Expected structures: what `take` gives is what flattening gives, and None exactly where structures differ."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

from hypothesis import given, settings, strategies as st

from treadle_ir.tree import tree_flatten, tree_structure
from treadle_ir.tree.expect import MAX_TURNS, expectation

LEAVES = st.integers(0, 3)
TREES = st.recursive(
    LEAVES | st.none(),
    lambda below: (
        st.lists(below, max_size=3)
        | st.lists(below, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from("abc"), below, max_size=3)
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
    point = namedtuple("point", "x y")
    assert expectation(tree_structure(point(1, 2))) is None
    assert expectation(tree_structure([OrderedDict(a=1)])) is None
    assert expectation(tree_structure(([1, 2], 3))).take((point(1, 2), 3)) is None  # type: ignore[union-attr]


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

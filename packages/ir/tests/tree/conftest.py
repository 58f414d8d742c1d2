"""What the tests of trees share: strategies for trees, as fixtures."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st


class Pair(NamedTuple):
    first: Any
    second: Any


def nodes(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.text("abc", max_size=2)
    dicts = st.dictionaries(keys, children, max_size=12)
    return st.one_of(
        st.lists(children, max_size=4),
        st.lists(children, max_size=4).map(tuple),
        st.builds(Pair, children, children),
        dicts,
        dicts.map(OrderedDict),
        dicts.map(lambda d: defaultdict(list, d)),
    )


LEAVES = st.none() | st.integers()
TREES = st.recursive(LEAVES, nodes, max_leaves=30)
SMALL_TREES = st.recursive(LEAVES, nodes, max_leaves=4)


@pytest.fixture(scope="session")
def trees() -> st.SearchStrategy[Any]:
    return TREES


@pytest.fixture(scope="session")
def small_trees() -> st.SearchStrategy[Any]:
    """Trees that stand at the leaves of others."""
    return SMALL_TREES


def chain(depth: int, leaf: Any = 1) -> Any:
    tree = leaf
    for level in range(depth):
        tree = (Pair(0, tree), [tree], {"a": tree}, (tree,))[level % 4]
    return tree


@pytest.fixture(scope="session")
def deep() -> Any:
    return chain(10_000)


@pytest.fixture(scope="session")
def deep_other() -> Any:
    return chain(10_000, [1])

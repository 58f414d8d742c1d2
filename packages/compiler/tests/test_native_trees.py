"""Trees taken apart by jaxlib are what Python makes of them."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from hypothesis import given, strategies as st

from treadle_compiler import jaxlib
from treadle_ir import TreeError
from treadle_ir.tree import (
    default_registry,
    register_pytree_node,
    register_static,
    tree_flatten,
    tree_leaves,
    tree_map,
)

Named = namedtuple("Named", "x y")


class Typed(NamedTuple):
    first: Any
    second: Any = None


class Made(namedtuple("Base", "a b")):
    """Changes what it is made of; so it does again when it is put together."""

    def __new__(cls, a: Any, b: Any) -> Made:
        return super().__new__(cls, b, a)


class Pair:
    def __init__(self, children: Any, label: Any) -> None:
        self.children, self.label = children, label

    def __eq__(self, other: object) -> bool:
        return type(other) is Pair and vars(self) == vars(other)

    def __repr__(self) -> str:
        return f"Pair({self.children!r}, {self.label!r})"


register_pytree_node(Pair, lambda p: (p.children, p.label), lambda label, c: Pair(list(c), label))


@register_static
class Mode(str):
    __slots__ = ()


@contextmanager
def python_alone() -> Iterator[None]:
    native, default_registry.native = default_registry.native, None
    try:
        yield
    finally:
        default_registry.native = native


@pytest.fixture(autouse=True)
def native() -> None:
    jaxlib()
    assert default_registry.native is not None


LEAVES = st.none() | st.integers(0, 9) | st.builds(Mode, st.sampled_from("ab"))


def nodes(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(children, max_size=4)
    dicts = st.dictionaries(st.sampled_from("abcdefghij"), children)
    return (
        lists
        | lists.map(tuple)
        | dicts
        | dicts.map(OrderedDict)
        | dicts.map(lambda d: defaultdict(int, d))
        | st.builds(Named, children, children)
        | st.builds(Typed, children, children)
        | st.builds(Pair, lists, st.sampled_from([0, "a", (1,)]))
        | st.builds(Made, children, children)
    )


TREES = st.recursive(LEAVES, nodes, max_leaves=12)
PREDICATES = st.sampled_from(
    [None, lambda x: x is None, lambda x: type(x) is list, lambda x: isinstance(x, tuple), bool]
)


def outcome(function: Callable[[], Any]) -> Any:
    """The text of what is returned, for it shows classes and the order of keys, or of what is raised."""
    try:
        return repr(function())
    except Exception as error:
        return type(error), str(error), getattr(error, "__notes__", [])


@given(TREES, PREDICATES)
def test_leaves(tree: Any, is_leaf: Any) -> None:
    native = tree_leaves(tree, is_leaf)
    with python_alone():
        assert native == tree_leaves(tree, is_leaf)


@given(TREES, st.lists(TREES, max_size=1), st.booleans(), PREDICATES)
def test_maps(tree: Any, others: list[Any], twice: bool, is_leaf: Any) -> None:
    rest = [tree, *others] if twice else others

    def mapped() -> Any:
        return tree_map(lambda *leaves: [leaves], tree, *rest, is_leaf=is_leaf)

    native = outcome(mapped)
    with python_alone():
        assert native == outcome(mapped)


def test_a_class_registered_afterwards() -> None:
    class Late:
        def __init__(self, value: Any) -> None:
            self.value = value

    assert len(tree_leaves([Late(1)])) == 1
    register_pytree_node(Late, lambda x: ([x.value], None), lambda _, children: Late(*children))
    assert tree_leaves([Late(1), (Late((2, 3)),)]) == [1, 2, 3]
    assert tree_map(str, Late(1)).value == "1"


def test_metadata_that_are_equal_and_not_the_same_stay() -> None:
    assert [type(key) for key in tree_map(str, {True: 1})] == [bool]
    assert [type(key) for key in tree_map(str, {1: 1})] == [int]
    assert tree_map(str, Pair([1], 1.0)).label.__class__ is float
    assert tree_map(str, Pair([1], 1)).label.__class__ is int


def test_errors_are_those_of_python() -> None:
    with pytest.raises(TreeError, match="cannot be sorted") as caught:
        tree_leaves([{1: 0, "a": 0}])
    assert caught.value.__context__ is None or "flatten()" not in str(caught.value.__context__)
    with pytest.raises(TreeError, match="tree 0 and tree 1"):
        tree_map(max, [1, 2], [1])
    with pytest.raises(TypeError, match="is_leaf"):
        tree_leaves([1], 3)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        tree_map(lambda x: 1 // x, [0])

    class Broken:
        pass

    register_pytree_node(Broken, lambda _: 3, lambda _, __: Broken())  # type: ignore[arg-type, return-value]
    with pytest.raises(TreeError, match="expected a pair"):
        tree_leaves([Broken()])


def test_a_predicate_may_return_anything_true() -> None:
    truth: Any = lambda x: 5 if type(x) is tuple else ""  # noqa: E731
    assert tree_leaves([(1, 2), [3]], truth) == [(1, 2), 3]


def nested(depth: int) -> Any:
    tree: Any = 7
    for _ in range(depth):
        tree = [tree]
    return tree


@pytest.mark.parametrize("limit", [sys.getrecursionlimit(), 10_000, 1_000_000])
def test_trees_of_any_depth(limit: int) -> None:
    """In a thread, whose stack is as small as stacks are."""
    found: list[Any] = []

    def work() -> None:
        for depth in (900, 9_000, 50_000):
            found.extend(tree_leaves(nested(depth)))
            found.extend(tree_flatten(tree_map(str, nested(depth)))[0])

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(before)
    assert found == [7, "7"] * 3


def test_threads_that_register_and_take_apart() -> None:
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(50):
                cls = type(f"Own{number}_{i}", (Pair,), {})
                register_pytree_node(
                    cls, lambda p: (p.children, p.label), lambda label, c: Pair(list(c), label)
                )
                assert tree_leaves({"a": cls([1, 2], 0), "b": (3,)}) == [1, 2, 3]
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed

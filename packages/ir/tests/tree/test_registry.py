from __future__ import annotations

import gc
import pickle
import threading
import types
import weakref
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import pytest

from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree import registry, tree_map
from treadle_ir.tree.flatten import tree_flatten, tree_flatten_with_path, tree_leaves
from treadle_ir.tree.paths import DictKey, keystr
from treadle_ir.tree.registry import (
    KINDS,
    LEAF_TYPES,
    is_tree_node,
    register_pytree_node,
    register_pytree_node_class,
    register_pytree_with_keys,
    register_pytree_with_keys_class,
    register_static,
)

Point = namedtuple("Point", "x y")


def fresh() -> Any:
    class Box:
        def __init__(self, *items: Any) -> None:
            self.items = items

    return Box


def test_nodes_and_leaves_by_exact_type() -> None:
    class MyList(list[int]):
        pass

    class MyDict(dict[str, int]):
        pass

    class MyTuple(tuple[int, ...]):
        __slots__ = ()

    nodes: list[type] = [dict, list, tuple, type(None), OrderedDict, defaultdict, Point]
    assert all(is_tree_node(node) for node in nodes)
    leaves: list[type] = [int, str, set, object, MyList, MyDict, MyTuple]
    assert not any(is_tree_node(leaf) for leaf in leaves)
    value = MyList([1])
    assert tree_leaves([value])[0] is value


def test_a_registered_class_is_a_node() -> None:
    box = fresh()
    register_pytree_node(box, lambda b: (b.items, "meta"), lambda meta, items: box(*items))
    leaves, structure = tree_flatten([box(1, box(2)), 3])
    assert leaves == [1, 2, 3]
    assert structure.unflatten([4, 5, 6])[0].items[1].items == (5,)
    assert keystr(tree_flatten_with_path(box(1))[0][0][0]) == "[<flat index 0>]"


def test_children_may_be_any_iterable() -> None:
    box = fresh()
    register_pytree_node(box, lambda b: (iter(b.items), None), lambda _, items: box(*items))
    assert tree_leaves(box(1, [2])) == [1, 2]


def test_registering_twice_is_refused() -> None:
    box = fresh()
    register_static(box)
    with pytest.raises(ValueError, match=r"register: `.*Box` is registered already"):
        register_static(box)
    with pytest.raises(ValueError, match="`dict` is registered already"):
        register_static(dict)


def test_a_class_seen_as_a_leaf_may_be_registered() -> None:
    box = fresh()
    assert len(tree_leaves([box(1, 2), box(3)])) == 2
    assert box in LEAF_TYPES
    register_pytree_node(box, lambda b: (b.items, None), lambda _, items: box(*items))
    assert tree_leaves([box(1, 2), box(3)]) == [1, 2, 3]


def test_a_namedtuple_may_be_registered() -> None:
    Pair = namedtuple("Pair", "x y")
    assert tree_leaves(Pair(1, 2)) == [1, 2]
    register_pytree_node(Pair, lambda p: ((p.x,), p.y), lambda y, x: Pair._make((*x, y)))
    assert tree_leaves(Pair(1, 2)) == [1]


def test_class_decorators() -> None:
    @register_pytree_node_class
    class Plain:
        def __init__(self, x: Any) -> None:
            self.x = x

        def tree_flatten(self) -> tuple[tuple[Any], None]:
            return (self.x,), None

        @classmethod
        def tree_unflatten(cls, _: None, children: tuple[Any]) -> Plain:
            return cls(*children)

    @register_pytree_with_keys_class
    class Keyed(Plain):
        def tree_flatten_with_keys(self) -> tuple[tuple[tuple[DictKey, Any]], None]:
            return ((DictKey("x"), self.x),), None

    leaves, structure = tree_flatten(Plain(Keyed(1)))
    assert leaves == [1]
    assert structure.unflatten([2]).x.x == 2
    assert keystr(tree_flatten_with_path(Keyed(1))[0][0][0]) == "['x']"


def test_with_keys_alone_is_enough() -> None:
    box = fresh()
    register_pytree_with_keys(
        box,
        lambda b: ([(DictKey(f"item{i}"), x) for i, x in enumerate(b.items)], None),
        lambda _, items: box(*items),
    )
    pairs, structure = tree_flatten_with_path([box(1, 2)])
    assert [keystr(path) for path, _ in pairs] == ["[0]['item0']", "[0]['item1']"]
    assert structure == tree_flatten([box(3, 4)])[1]


def test_static_instances_are_structure() -> None:
    @register_static
    class Mode(str):
        __slots__ = ()

    leaves, structure = tree_flatten([Mode("a"), 1])
    assert leaves == [1]
    assert structure.unflatten([2]) == ["a", 2]
    assert structure != tree_flatten([Mode("b"), 1])[1]
    assert hash(structure) == hash(tree_flatten([Mode("a"), 1])[1])


@pytest.mark.parametrize("result", [None, (1,), [1, 2, 3], 5])
def test_flatten_must_return_a_pair(result: Any) -> None:
    box = fresh()
    register_pytree_node(box, lambda _: result, lambda _, __: None)
    with pytest.raises(TreeError, match=r"flatten of `.*Box`: expected a pair") as caught:
        tree_flatten({"a": [box()]})
    assert "  at ['a'][0]" in caught.value.__notes__


def test_children_must_be_iterable() -> None:
    box = fresh()
    wrong: Any = (3, None)
    register_pytree_node(box, lambda _: wrong, lambda _, __: None)
    with pytest.raises(TypeError, match="children must be iterable, got int"):
        tree_flatten(box())


def test_only_classes_are_registered() -> None:
    with pytest.raises(TypeError, match="register_static: cls must be a class, got 3"):
        register_static(3)  # type: ignore[type-var]


def test_unsortable_keys_say_where_and_how() -> None:
    for size in (0, 20):
        bad: dict[Any, int] = {1: 1, "a": 2, **{f"k{i}": i for i in range(size)}}
        with pytest.raises(ValueError, match="dict: keys of types") as caught:
            tree_flatten([0, {"x": bad}])
        assert str(caught.value) == "dict: keys of types ['int', 'str'] cannot be sorted"
        assert any("OrderedDict" in note for note in caught.value.__notes__)
        assert "  at [1]['x']" in caught.value.__notes__


def test_cached_classes_are_bounded_without_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MOST_CACHED", 10)
    gc.collect()
    gc.disable()
    try:
        boxes = [fresh() for _ in range(50)]
        for number, box in enumerate(boxes):
            assert tree_leaves([Point(box(), 1)])[1] == 1
            if number % 2:
                register_pytree_node(box, lambda b: (b.items, None), lambda _, c: None)
    finally:
        gc.enable()
    assert len(registry.default_registry.cached) <= 10
    assert len(LEAF_TYPES.intersection(boxes)) <= 10
    assert [is_tree_node(box) for box in boxes] == [False, True] * 25
    assert tree_flatten(Point(1, 2))[1] == tree_flatten(Point(3, 4))[1]


def test_a_class_is_freed_with_its_registration() -> None:
    def work() -> weakref.ref[type]:
        box = fresh()
        register_pytree_node(box, lambda b: (b.items, None), lambda _, items: box(*items))
        assert hash(tree_flatten({"a": box(1, 2)})[1]) is not None
        return weakref.ref(box)

    alive = [work() for _ in range(3)]
    gc.collect()
    assert [each() for each in alive] == [None] * 3


def test_a_registration_outlives_the_collector() -> None:
    box = fresh()
    register_pytree_node(box, lambda b: (b.items, None), lambda _, items: box(*items))
    leaves, structure = tree_flatten([box(1, 2), Point(3, 4)])
    gc.collect()
    assert box not in KINDS  # it was a cache, and is classified again
    assert tree_flatten([box(1, 2), Point(3, 4)]) == (leaves, structure)
    assert structure.flatten_up_to([box(5, 6), Point(7, 8)]) == [5, 6, 7, 8]
    gc.collect()
    with pytest.raises(TreeError, match="is registered already"):
        register_static(box)


def test_a_registration_is_of_one_class_only() -> None:
    """Subclasses inherit its attribute; `dataclass(slots=True)` makes another class with all attributes."""
    box = fresh()
    register_pytree_node(box, lambda b: (b.items, None), lambda _, items: box(*items))

    class Below(box):  # type: ignore[misc, valid-type]  # a class that is made as the test runs
        pass

    copied = type("Copied", (), dict(vars(box)))
    assert is_tree_node(box)
    assert not is_tree_node(Below)
    assert not is_tree_node(copied)
    assert pickle.loads(pickle.dumps(vars(box)["__treadle_node__"])) is None


def test_classes_that_take_no_attributes_are_registered() -> None:
    class Refusing(type):
        def __setattr__(cls, name: str, value: object) -> None:
            raise AttributeError(name)

    class Plain(metaclass=Refusing):
        pass

    register_static(Plain)
    register_static(types.MethodWrapperType)  # in C
    gc.collect()
    assert is_tree_node(Plain)
    assert tree_leaves([Plain(), "".__str__, 1]) == [1]
    with pytest.raises(TreeError, match="is registered already"):
        register_static(types.MethodWrapperType)


def test_the_collector_does_not_wait_for_the_registry() -> None:
    """It runs wherever memory is asked for, so also in a thread that is in the registry."""
    box = fresh()
    tree_leaves([box()])
    with registry.default_registry.lock:
        gc.collect()
    assert box in LEAF_TYPES
    gc.collect()
    assert box not in LEAF_TYPES


def test_threads_register_and_flatten_at_once() -> None:
    classes = [fresh() for _ in range(200)]
    refused: list[Exception] = []
    wrong: list[object] = []
    start = threading.Barrier(6)

    def work() -> None:
        start.wait()
        for cls in classes:
            tree_leaves([cls(1, 2)])
            try:
                register_pytree_node(cls, lambda b: (b.items, None), lambda _, c: None)
            except TreeError as error:
                refused.append(error)
            if tree_leaves([cls(1, 2)]) != [1, 2]:
                wrong.append(cls)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(refused) == 5 * len(classes)
    assert all(KINDS[cls] is not None for cls in classes)


def test_children_come_back_as_a_tuple() -> None:
    seen: list[type] = []

    class Node:
        def __init__(self, *parts: Any) -> None:
            self.parts = parts

    def unflatten(extra: tuple[int, ...], children: Any) -> Node:
        seen.append(type(children))
        return Node(*(children + extra))

    register_pytree_node(Node, lambda node: (list(node.parts), (7,)), unflatten)
    for given in (Node(1, 2), [Node(1), Node(Node(2), 3)], Node()):
        tree_map(lambda x: x, given)
    assert set(seen) == {tuple}

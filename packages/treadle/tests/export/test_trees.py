import collections
from typing import Any

import pytest

import treadle
from treadle import export, tree_util
from treadle.errors import ArgumentError
from treadle.export.trees import read_tree, write_tree
from treadle_ir.tree import tree_structure

Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "tree",
    [
        0,
        (),
        None,
        {},
        [[], ()],
        (1, [2, {"b": 3, "a": None}], ()),
        {1: 0, 3: (1, 2)},
        collections.OrderedDict(b=1, a=[2]),
    ],
    ids=repr,
)
def test_round_trip(tree: Any) -> None:
    structure = tree_structure(tree)
    assert read_tree(write_tree(structure)) == structure


def test_deep_trees_do_not_recurse() -> None:
    tree: Any = 0
    for _ in range(20_000):
        tree = (tree,)
    structure = tree_structure(tree)
    assert read_tree(write_tree(structure)) == structure


def test_metadata_and_children_come_back() -> None:
    class Boxed:
        def __init__(self, inside: Any, label: str) -> None:
            self.inside, self.label = inside, label

    tree_util.register_pytree_node(
        Boxed, lambda box: ((box.inside,), box.label), lambda label, inside: Boxed(inside[0], label)
    )
    structure = tree_structure([Boxed(1, "é"), Boxed((1, 2), "b")])
    with pytest.raises(ArgumentError, match=r"Boxed` among arguments or results is not registered"):
        write_tree(structure)
    made = []

    def from_children(label: str, children: Any) -> Boxed:
        made.append(label)
        return Boxed(children[0], label)

    returned = export.register_pytree_node_serialization(
        Boxed,
        serialized_name="tests.Boxed",
        serialize_auxdata=str.encode,
        deserialize_auxdata=lambda data: bytes(data).decode(),
        from_children=from_children,
    )
    assert returned is Boxed
    assert read_tree(write_tree(structure)) == structure
    assert made == ["é", "b"]
    with pytest.raises(ArgumentError, match=r"class `.*Boxed` is already registered"):
        export.register_pytree_node_serialization(
            Boxed,
            serialized_name="tests.other",
            serialize_auxdata=str.encode,
            deserialize_auxdata=bytes.decode,
        )


def test_namedtuples_have_names() -> None:
    exported = export.export(treadle.jit(lambda p: p.x - p.y))(Point(1.0, 2.0))
    with pytest.raises(ArgumentError, match="`Point` among arguments or results is not registered"):
        exported.serialize()
    export.register_namedtuple_serialization(Point, serialized_name="tests.Point")
    assert export.deserialize(exported.serialize()).call(Point(5.0, 2.0)) == 3
    other = collections.namedtuple("other", "x")
    with pytest.raises(ArgumentError, match=r"name 'tests.Point' is already registered .* `Point`"):
        export.register_namedtuple_serialization(other, serialized_name="tests.Point")


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="`int` is not a namedtuple"):
        export.register_namedtuple_serialization(int, serialized_name="tests.int")
    with pytest.raises(ArgumentError, match="`int` is not a node of pytrees"):
        export.register_pytree_node_serialization(
            int, serialized_name="i", serialize_auxdata=str.encode, deserialize_auxdata=bytes.decode
        )
    with pytest.raises(ArgumentError, match="has the key None"):
        write_tree(tree_structure({None: 1}))
    with pytest.raises(ArgumentError, match="`defaultdict` among"):
        write_tree(tree_structure(collections.defaultdict(list, a=1)))
    with pytest.raises(ArgumentError, match=r"no class is registered by the name 'tests.gone'"):
        read_tree([1, ["named", 1, "tests.gone", ""]])

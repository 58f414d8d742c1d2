from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

from treadle_ir.tree import (
    DictKey,
    keystr,
    node_registry,
    tree_leaves,
    tree_map,
    tree_structure,
)

Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("node", "children", "meta"),
    [
        ({"b": 1, "a": [2]}, ([2], 1), ("a", "b")),
        ((1, 2), (1, 2), None),
        (None, (), None),
        (Pair(1, 2), (1, 2), Pair),
    ],
)
def test_a_node_is_opened_one_level(node: Any, children: Any, meta: Any) -> None:
    assert node_registry.flatten_one_level(node) == (children, meta)
    keyed = node_registry.flatten_one_level_with_keys(node)
    assert keyed is not None
    assert (tuple(child for _, child in keyed[0]), keyed[1]) == (children, meta)


def test_a_leaf_has_no_level() -> None:
    assert node_registry.flatten_one_level(3) is None
    assert node_registry.flatten_one_level_with_keys(3) is None
    assert node_registry.is_node(dict)
    assert not node_registry.is_node(int)


def test_a_tree_is_flattened() -> None:
    tree = {"b": 1, "a": [2]}
    assert node_registry.flatten(tree) == ([2, 1], tree_structure(tree))
    assert node_registry.flatten(tree, lambda x: isinstance(x, list))[0] == [[2], 1]
    leaves, structure = node_registry.flatten_with_path(
        tree, lambda path, _: path == (DictKey("a"),)
    )
    assert [(keystr(path), leaf) for path, leaf in leaves] == [("['a']", [2]), ("['b']", 1)]
    assert structure == tree_structure({"b": 1, "a": 2})


def test_node_types_are_registered() -> None:
    class Box:
        def __init__(self, inside: Any) -> None:
            self.inside = inside

    class Fields:
        def __init__(self, x: Any, name: str) -> None:
            self.x, self.name = x, name

    node_registry.register_node(
        Box, lambda box: ((box.inside,), None), lambda _, parts: Box(*parts)
    )
    node_registry.register_dataclass_node(Fields, ["x"], ["name"])
    assert tree_leaves([Box(1), Fields(2, "name")]) == [1, 2]
    assert tree_map(lambda x: x + 1, Fields(2, "name")).x == 3

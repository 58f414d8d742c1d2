from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from treadle_ir.tree.dataclass import register_dataclass, static
from treadle_ir.tree.flatten import tree_flatten, tree_flatten_with_path, tree_leaves
from treadle_ir.tree.paths import keystr


def test_fields_are_children_unless_static() -> None:
    @register_dataclass
    @dataclass(frozen=True)
    class Layer:
        w: Any
        b: Any
        name: str = static(default="dense")
        computed: int = field(default=0, init=False)

    leaves, structure = tree_flatten(Layer([1, 2], 3))
    assert leaves == [1, 2, 3]
    assert structure.unflatten([4, 5, 6]) == Layer([4, 5], 6)
    assert structure != tree_flatten(Layer([1, 2], 3, "conv"))[1]
    paths = [keystr(path) for path, _ in tree_flatten_with_path(Layer([1, 2], 3))[0]]
    assert paths == [".w[0]", ".w[1]", ".b"]


def test_fields_by_name_as_a_decorator() -> None:
    @partial(register_dataclass, data_fields=["y"], meta_fields=["x"])
    @dataclass
    class Named:
        x: int
        y: int

    leaves, structure = tree_flatten(Named(1, 2))
    assert leaves == [2]
    assert structure.unflatten([5]) == Named(1, 5)


def test_dropped_fields_return_to_their_defaults() -> None:
    @partial(register_dataclass, drop_fields=["cache"])
    @dataclass
    class Dropping:
        x: int
        cache: int = 0

    leaves, structure = tree_flatten(Dropping(1, 2))
    assert leaves == [1]
    assert structure.unflatten([5]) == Dropping(5, 0)


def test_a_class_that_is_no_dataclass_needs_both() -> None:
    class Plain:
        def __init__(self, *, x: int, y: int) -> None:
            self.x, self.y = x, y

    with pytest.raises(TypeError, match="is not a dataclass"):
        register_dataclass(Plain)
    with pytest.raises(TypeError, match="go together"):
        register_dataclass(Plain, data_fields=["x"])
    register_dataclass(Plain, data_fields=["x", "y"], meta_fields=[])
    assert tree_leaves(Plain(x=1, y=2)) == [1, 2]


def test_wrong_fields_are_named() -> None:
    @dataclass
    class Some:
        x: int
        y: int

    with pytest.raises(ValueError, match=r"fields \['y'\] are missing and \['z'\] are unknown"):
        register_dataclass(Some, data_fields=["x"], meta_fields=["z"])
    with pytest.raises(ValueError, match=r"fields \['x'\] are named twice"):
        register_dataclass(Some, data_fields=["x", "y"], meta_fields=["x"])


def test_an_empty_dataclass_is_a_node() -> None:
    @register_dataclass
    @dataclass
    class Empty:
        pass

    leaves, structure = tree_flatten(Empty())
    assert leaves == []
    assert structure.unflatten([]) == Empty()

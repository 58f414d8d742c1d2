"""Opaque values: leaves for users, nodes for transformations."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tree import (
    Form,
    broadcast_prefix,
    fixed_places,
    flatten_leaves_and_structure,
    forms,
    keystr,
    leaf_paths,
    opened_by,
    register_opaque,
    spread_prefix,
    tangent_leaves,
    tangent_structure,
    tree_flatten,
    tree_flatten_with_path,
    tree_leaves,
    tree_map,
    tree_structure,
    tree_unflatten,
)


@dataclass(frozen=True)
class Box:
    fixed: Any
    rest: tuple[Any, ...]


@frozen
class BoxForm(Form):
    """A box, whose first part has no tangent; its tangent is the sequence of the others."""

    aval: str

    @property
    def fixed(self):
        return 1

    def build(self, children):
        return Box(children[0], tuple(children[1:]))

    def tangent(self, children):
        return list(children[1:])

    def tangents(self, tangent):
        return ["none", *tangent]

    def mapped(self, spec, size):
        raise NotImplementedError

    stacked = mapped


class Crate(Box):
    pass


for cls in (Box, Crate):
    register_opaque(cls, lambda x: ((x.fixed, *x.rest), BoxForm("box")))

BOX = Box(1, (2, 3))
TREE = {"a": [0, BOX], "b": (BOX, 7)}


def test_leaves_for_users():
    assert tree_leaves(TREE) == [0, BOX, BOX, 7]
    assert tree_leaves(TREE, is_leaf=lambda x: isinstance(x, tuple)) == [0, BOX, (BOX, 7)]
    assert tree_structure([BOX]) == tree_structure([0])
    assert tree_map(lambda x: x, TREE) == TREE
    paths = [keystr(path) for path, _ in tree_flatten_with_path(TREE)[0]]
    assert paths == ["['a'][0]", "['a'][1]", "['b'][0]", "['b'][1]"]
    assert broadcast_prefix([5], [BOX]) == [5]


def test_nodes_for_transformations():
    leaves, structure = flatten_leaves_and_structure(TREE)
    assert leaves == [0, 1, 2, 3, 1, 2, 3, 7]
    assert tree_unflatten(structure, leaves) == TREE
    assert len(leaf_paths(TREE)) == len(leaves)
    assert spread_prefix("test", [5], [BOX]) == [5, 5, 5]
    assert opened_by(BOX) == BoxForm("box")
    assert opened_by(3) is None


def test_classes_of_one_form_are_alike():
    crate = flatten_leaves_and_structure([Crate(1, (2, 3))])[1]
    box = flatten_leaves_and_structure([BOX])[1]
    assert crate == box
    assert pickle.loads(pickle.dumps(box)) == box


def test_where_they_are():
    _, structure = flatten_leaves_and_structure(TREE)
    assert [(first, count) for first, count, _ in forms(structure)] == [(1, 3), (4, 3)]
    assert fixed_places(structure) == {1, 4}
    assert forms(tree_flatten((0, [1]))[1]) == []


@pytest.mark.parametrize("tree", [TREE, BOX, [BOX, BOX], (0, BOX), {"x": (BOX, 1, [BOX])}, 0, [0]])
def test_tangents_go_both_ways(tree):
    leaves, structure = flatten_leaves_and_structure(tree)
    along = ["none" if i in fixed_places(structure) else f"t{i}" for i in range(len(leaves))]
    tangents = tree_unflatten(tangent_structure(structure), along)
    assert tangent_leaves(structure, tangents) == along


def test_tangents_of_boxes_are_lists():
    _, structure = flatten_leaves_and_structure((BOX, 0))
    assert tree_unflatten(tangent_structure(structure), [0, 1, 2, 3]) == ([1, 2], 3)
    with pytest.raises(ValueError, match="tuple"):
        tangent_leaves(structure, [[1, 2], 3])


def test_registered_once():
    with pytest.raises(ValueError, match="registered already"):
        register_opaque(Box, lambda x: ((), BoxForm("box")))

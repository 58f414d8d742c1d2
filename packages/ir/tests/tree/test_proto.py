"""Structures as bytes: those that JAX 0.10.2 writes for the same trees."""

from __future__ import annotations

import hashlib
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import pytest

from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree import PyTreeDef, default_registry, tree_structure

Point = namedtuple("Point", "x y")

WRITTEN = [
    (1, b"\n\x02\x10\x01"),
    (None, b"\n\x02\x10\x03"),
    ((), b"\n\x02\x10\x04"),
    ([1, 2], b"\n\x02\x10\x01\n\x02\x10\x01\n\x04\x08\x02\x10\x02"),
    ({}, b"\n\x02\x10\x05"),
    (
        {"b": 1, "a": 2},
        b"\n\x02\x10\x01\n\x02\x10\x01\n\n\x08\x02\x10\x05\x1a\x04\n\x02\x00\x01\x12\x01a\x12\x01b",
    ),
    (
        {"a": {"b": 1}, "b": [None]},
        b"\n\x02\x10\x01\n\t\x08\x01\x10\x05\x1a\x03\n\x01\x00\n\x02\x10\x03\n\x04\x08\x01\x10\x02"
        b"\n\n\x08\x02\x10\x05\x1a\x04\n\x02\x01\x00\x12\x01b\x12\x01a",
    ),
    ({"é": 1}, b"\n\x02\x10\x01\n\t\x08\x01\x10\x05\x1a\x03\n\x01\x00\x12\x02\xc3\xa9"),
]


@pytest.mark.parametrize(("tree", "written"), WRITTEN)
def test_bytes_are_jaxs(tree: Any, written: bytes) -> None:
    structure = tree_structure(tree)
    assert structure.serialize_using_proto() == written
    assert PyTreeDef.deserialize_using_proto(default_registry, written) == structure


@pytest.mark.parametrize(
    ("tree", "digest"),
    [
        (tuple(range(300)), "fa8f85d48935351dd91ac379a8919269"),
        ({str(i): 0 for i in range(200)}, "9a5598f02aa57a8875a5e57bea9c4664"),
    ],
)
def test_numbers_of_more_than_seven_bits(tree: Any, digest: str) -> None:
    structure = tree_structure(tree)
    data = structure.serialize_using_proto()
    assert hashlib.md5(data, usedforsecurity=False).hexdigest() == digest
    assert PyTreeDef.deserialize_using_proto(default_registry, data) == structure


@pytest.mark.parametrize("tree", [Point(1, 2), OrderedDict(a=1), defaultdict(int, a=1)])
def test_other_nodes_have_no_bytes(tree: Any) -> None:
    with pytest.raises(TreeError, match="is not a tuple, list, dict or None"):
        tree_structure([tree]).serialize_using_proto()


def test_other_keys_have_no_bytes() -> None:
    with pytest.raises(ValueError, match="the key 1, which is not a string"):
        tree_structure({1: 2}).serialize_using_proto()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"junk",
        b"\n\x02\x10\x01\n\x02\x10\x01",  # two leaves
        b"\n\x04\x08\x02\x10\x02",  # a list without its children
        b"\n\x02\x10\x01\n\x04\x08\x01\x10\x05",  # a dict without its keys
        b"\n\x02\x10\x01\n\x04\x08\x01\x10\x03",  # None with a child
        b"\n\x02\x10\x01\n\t\x08\x01\x10\x05\x1a\x03\n\x01\x07\x12\x01a",  # a key that is not there
        b"\n\x02\x10\x63",  # a kind that is not there
        b"\n\x7f\x10\x01",  # cut off
        b"\x80",
        b"\n\x02\x10\x01\n\t\x08\x01\x10\x05\x1a\x03\n\x01\x00\x12\x01\xff",  # no text
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(TreeError, match=f"{len(data)} bytes do not encode the structure"):
        PyTreeDef.deserialize_using_proto(default_registry, data)

"""Trees as text."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.tree import show


def test_each_leaf_has_a_line_with_its_path_and_type() -> None:
    tree = {"w": tnp.ones((3, 4)), "rest": (np.zeros(2), True, None, "text")}
    assert show(tree).splitlines() == [
        "4 leaves, 15 elements",
        "  ['rest'][0]  f64[2]",
        "  ['rest'][1]  bool[]  True",
        "  ['rest'][3]  'text'",
        "  ['w']        f32[3,4]",
    ]


def test_large_trees_and_large_leaves_are_cut() -> None:
    lines = show(list(map(float, range(1_000)))).splitlines()
    assert lines[0] == "1,000 leaves, 1,000 elements"
    assert lines[-1] == "  … 950 more leaves"
    assert len(lines) == 52
    assert len(show({"a": "x" * 10_000})) < 1_000
    assert show([1.0, 2.0], most=1).splitlines()[-1] == "  … 1 more leaf"


def test_a_tree_may_be_a_leaf_or_empty() -> None:
    assert show([]) == "0 leaves, 0 elements"
    assert show(tnp.ones(3)).splitlines()[0] == "1 leaf, 3 elements"


def test_traced_arrays_have_types() -> None:
    seen: list[str] = []
    treadle.jit(lambda tree: seen.append(show(tree)))({"x": tnp.ones(3)})
    assert seen == ["1 leaf, 3 elements\n  ['x']  f32[3]"]


def test_the_limit_is_an_integer() -> None:
    with pytest.raises(ArgumentError, match="most"):
        show([], most="all")  # type: ignore[arg-type]

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from treadle_ir.tree.difference import explain_difference
from treadle_ir.tree.flatten import tree_structure


def explain(a: Any, b: Any) -> list[str]:
    return explain_difference(tree_structure(a), tree_structure(b))


@pytest.mark.parametrize(
    ("a", "b", "lines"),
    [
        ([0], [0], []),
        ([0], (0,), ["at the top level: list of 1 and tuple of 1"]),
        (0, None, ["at the top level: a leaf and None"]),
        (
            {"layers": [{"w": 0}]},
            {"layers": [{"w": 0, "b": 0}]},
            ["at ['layers'][0]: dict with keys ['w'] and dict with keys ['b', 'w']"],
        ),
        (
            [0, (0,), 0],
            [[0], 0, 0],
            ["at [0]: a leaf and list of 1", "at [1]: tuple of 1 and a leaf"],
        ),
    ],
)
def test_places_are_named(a: Any, b: Any, lines: list[str]) -> None:
    assert explain(a, b) == lines


def test_long_dicts_show_what_distinguishes_them() -> None:
    a = {f"k{i:03}": i for i in range(100)}
    assert explain(a, {**a, "new": 0}) == [
        "at the top level: dict with 100 keys and dict with 101 keys, among them ['new']"
    ]


def test_many_differences_are_cut() -> None:
    lines = explain([0] * 50, [()] * 50)
    assert len(lines) == 21
    assert lines[-1] == "and more"


@given(st.data())
def test_no_lines_iff_equal(trees: st.SearchStrategy[Any], data: st.DataObject) -> None:
    one, two = tree_structure(data.draw(trees)), tree_structure(data.draw(trees))
    assert (not explain_difference(one, two)) == (one == two)
    assert explain_difference(one, one) == []


def test_deep_structures(deep: Any, deep_other: Any) -> None:
    (line,) = explain(deep, deep_other)
    assert line.endswith(": a leaf and list of 1")

"""Where pills stand."""

from __future__ import annotations

from itertools import pairwise

from treadle_ir.drawing.graph import Node
from treadle_ir.drawing.layout import GAP, arrange, lanes_of, layers_of, place_row


def node(label: str, *above: Node) -> Node:
    made = Node(label, "plain", [], list(above))
    for source in above:
        source.below.append(made)
    return made


def test_operations_are_below_their_inputs() -> None:
    x = node("x")
    first = node("first", x)
    second = node("second", first, x)
    rows = layers_of([x, first, second])
    assert [[each.label for each in row] for row in rows] == [["x"], ["first"], ["second"]]


def test_an_input_is_right_above_its_first_use() -> None:
    x, late = node("x"), node("late")
    first = node("first", x)
    second = node("second", first, late)
    rows = layers_of([x, late, first, second])
    assert [sorted(each.label for each in row) for row in rows] == [
        ["x"],
        ["first", "late"],
        ["second"],
    ]


def test_pills_of_a_row_never_overlap() -> None:
    row = [node(label) for label in ("short", "a much longer label", "x", "another one")]
    place_row(row, [0.0, 0.0, 0.0, 0.0])
    for left, right in pairwise(row):
        assert left.x + left.width / 2 + GAP <= right.x - right.width / 2 + 1e-6


def test_a_chain_is_straight() -> None:
    x = node("x")
    y = node("y", x)
    z = node("z", y)
    rows = layers_of([x, y, z])
    arrange(rows)
    assert max(abs(each.x - x.x) for each in (y, z)) < 1


def test_overlapping_edges_have_lanes_of_their_own() -> None:
    assert lanes_of([(0, 10), (2, 4), (5, 8), (3, 6)]) == [2, 0, 0, 1]
    assert lanes_of([]) == []

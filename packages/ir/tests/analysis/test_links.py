"""What collectives put on the links of a mesh, from the text of equations."""

from __future__ import annotations

import pytest

from treadle_ir.analysis import Load, link_loads
from treadle_ir.text import parse_program

SIZES = {"data": 4, "model": 2, "one": 1, "seven": 7}


def loads(line: str, sizes: dict[str, int] = SIZES) -> dict[str, Load]:
    text = f"treadle 1\nprogram @main(%x: f32[8,7]) {{\n  {line}\n  return %x\n}}\n"
    return link_loads(parse_program(text).equations[0], sizes)


B = 8 * 7 * 4


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            '%y: f32[8,7] = all_reduce %x {reduction="add", axis_names=("data",)} !named_axis',
            {"data": Load(2 * B * 3 // 4, 8)},
        ),
        (
            '%y: f32[32,7] = all_gather %x {axis_names=("data",), size=4, axis=0, tiled=True} !named_axis',
            {"data": Load(B * 3, 4)},
        ),
        (
            '%y: f32[64,7] = all_gather %x {axis_names=("data", "model"), size=8, axis=0, tiled=True} !named_axis',
            {"data": Load(B * 7 // 2, 8), "model": Load(B * 7 // 2, 8)},
        ),
        (
            '%y: f32[2,7] = reduce_scatter %x {axis_names=("data",), size=4, axis=0} !named_axis',
            {"data": Load(B * 3 // 4, 4)},
        ),
        (
            '%y: f32[2,28] = all_to_all %x {axis_names=("data",), size=4, split=0, concat=1} !named_axis',
            {"data": Load(B, 2)},
        ),
        (
            '%y: f32[4,14] = all_to_all %x {axis_names=("model",), size=2, split=0, concat=1} !named_axis',
            {"model": Load(B, 1)},
        ),
        (
            '%y: f32[8,7] = all_reduce %x {reduction="add", axis_names=("one",)} !named_axis',
            {"one": Load(0, 0)},
        ),
        ('%y: i32[] = axis_index {axis_names=("data",)} !named_axis', {}),
        ("%y: f32[8,7] = add %x, %x", {}),
        (
            '%y: f32[8,7] = all_reduce %x {reduction="add", axis_names=("batch",)} !named_axis',
            {},
        ),
    ],
)
def test_ring_algorithms(line: str, expected: dict[str, Load]) -> None:
    assert loads(line) == expected


@pytest.mark.parametrize(
    ("axis", "pairs", "expected"),
    [
        ("data", "((0, 1), (1, 2), (2, 3), (3, 0))", Load(B, 1)),
        ("data", "((0, 3),)", Load(B, 1)),  # the shorter way round
        ("data", "((0, 2), (1, 3))", Load(2 * B, 2)),  # both go over one link
        ("data", "((0, 0), (1, 1))", Load(0, 0)),
        ("model", "((0, 1), (1, 0))", Load(2 * B, 1)),  # two devices have one link
        ("seven", "((0, 3), (1, 4), (2, 5), (3, 6), (4, 0), (5, 1), (6, 2))", Load(3 * B, 3)),
    ],
)
def test_permutations_load_the_links_on_the_way(axis: str, pairs: str, expected: Load) -> None:
    size = SIZES[axis]
    line = f'%y: f32[8,7] = permute %x {{axis_names=("{axis}",), size={size}, pairs={pairs}}} !named_axis'
    assert loads(line) == {axis: expected}


def test_permutations_over_two_axes_go_along_one_after_the_other() -> None:
    line = '%y: f32[8,7] = permute %x {axis_names=("data", "model"), size=8, pairs=((0, 3),)} !named_axis'
    assert loads(line) == {"data": Load(B, 1), "model": Load(B, 1)}

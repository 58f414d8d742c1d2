"""Shardings in the text of a program, and callbacks of programs over several devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_compiler import Partitioning, lower_program
from treadle_compiler.partitioning import inspection_mark
from treadle_ir import AbstractMesh, ArrayType, Operand, bind, ops, stage
from treadle_ir.core import DimShardings
from treadle_ir.primitives.shard_map import ShardMap, inside_axes

MESH = AbstractMesh((4, 2), ("x", "y"))
TYPE = ArrayType((8, 4), np.dtype("f4"))
OVER_MESH = Partitioning(MESH, (((), ()),), (None,))


def _text(layout: DimShardings, partitioning: Partitioning | None) -> str:
    staged = stage(lambda x: [ops.sharding_constraint(x, mesh=MESH, layout=layout)], TYPE)
    return lower_program(staged.program, partitioning=partitioning).text


def test_a_constraint_names_the_axes() -> None:
    text = _text((("x", "y"), None), OVER_MESH)
    assert 'sdy.mesh @mesh = <["x"=4, "y"=2]>' in text
    assert 'sdy.sharding<@mesh, [{"x", "y"}, {?}]>' in text
    assert "num_partitions = 8" in text


@pytest.mark.parametrize(
    ("names", "groups", "expected"),
    [
        ("x", ((0, 3), (2, 1)), "[[0, 6], [4, 2], [1, 7], [5, 3]]"),
        ("x", ((1,), (0, 2, 3)), "[[2, -1, -1], [0, 4, 6], [3, -1, -1], [1, 5, 7]]"),
        (("y", "x"), ((0, 1, 2, 3), (4, 5, 6, 7)), "[[0, 2, 4, 6], [1, 3, 5, 7]]"),
    ],
)
def test_groups_are_of_devices(names: Any, groups: Any, expected: str) -> None:
    """The device at (x, y) has the number 2 x + y."""
    layout: DimShardings = (("x",), ("y",))
    with inside_axes(MESH, ("x", "y"), checked=False):
        body = stage(
            lambda x: [ops.all_reduce(x, reduction="add", axis_name=names, groups=groups)],
            TYPE.with_shape((2, 2)),
        ).program
    mapped = ShardMap(body, MESH, (layout,), (layout,), ("x", "y"), checked=False)
    program = stage(lambda x: bind(mapped, x), TYPE).program
    text = lower_program(program, partitioning=Partitioning(MESH, (layout,), (None,))).text
    assert f"replica_groups = dense<{expected}>" in text


def test_one_device_has_no_layouts() -> None:
    assert "sdy" not in _text((("x",), ()), None)


def test_each_question_has_a_number_where_there_are_several_devices() -> None:
    asked: list[object] = []

    def function(x: Operand) -> list[Operand]:
        ops.inspect_sharding(x, callback=asked.append)
        total = ops.reduce_add(x, axes=(0, 1))
        ops.inspect_sharding(total, callback=asked.append)
        return [total]

    program = stage(function, TYPE).program
    for partitioning in (None, OVER_MESH):
        lowered = lower_program(program, partitioning=partitioning)
        assert [each.ndim for each in lowered.inspections] == [2, 0]
        marks = [inspection_mark(number) in lowered.text for number in range(2)]
        assert marks == [partitioning is not None] * 2
        assert ("InspectSharding" in lowered.text) == (partitioning is not None)
    assert asked == []

"""Layouts in the text of a program, and callbacks of programs over several devices."""

from __future__ import annotations

import numpy as np

from treadle_compiler import Partitioning, lower_program
from treadle_compiler.partitioning import inspection_mark
from treadle_ir import AbstractMesh, ArrayType, Layout, Operand, ops, stage

MESH = AbstractMesh((4, 2), ("x", "y"))
TYPE = ArrayType((8, 4), np.dtype("f4"))
LAID = Partitioning(MESH, (((), ()),), (None,))


def _text(layout: Layout, partitioning: Partitioning | None) -> str:
    staged = stage(lambda x: [ops.sharding_constraint(x, mesh=MESH, layout=layout)], TYPE)
    return lower_program(staged.program, partitioning=partitioning).text


def test_a_constraint_names_the_axes() -> None:
    text = _text((("x", "y"), None), LAID)
    assert 'sdy.mesh @mesh = <["x"=4, "y"=2]>' in text
    assert 'sdy.sharding<@mesh, [{"x", "y"}, {?}]>' in text
    assert "num_partitions = 8" in text


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
    for partitioning in (None, LAID):
        lowered = lower_program(program, partitioning=partitioning)
        assert [each.ndim for each in lowered.inspections] == [2, 0]
        marks = [inspection_mark(number) in lowered.text for number in range(2)]
        assert marks == [partitioning is not None] * 2
        assert ("InspectSharding" in lowered.text) == (partitioning is not None)
    assert asked == []

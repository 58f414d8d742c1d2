"""Layouts in the text of a program, and callbacks of programs over several devices."""

from __future__ import annotations

import numpy as np

from treadle_compiler import Partitioning, lower_program
from treadle_ir import AbstractMesh, ArrayType, Layout, ops, stage

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

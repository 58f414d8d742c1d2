from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArrayType, ops, stage
from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.control import Case, Scan
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.testing.shardings import MESH, of_results, sharded

ROW = ArrayType((8,), np.dtype("f4"))
SIN = stage(lambda x: [ops.sine(x)], ROW).program
CONSTRAINED = stage(
    lambda x: [ops.sharding_constraint(x, mesh=MESH, layout=(("y",),))], ROW
).program


def test_results_of_a_call_are_sharded_as_the_program_s() -> None:
    assert of_results(Call(SIN, "f"), "8@x") == ["8@x"]
    assert of_results(Call(CONSTRAINED, "f"), "8@x") == ["8@y"]


def test_what_a_constraint_leaves_open_stays() -> None:
    assert of_results(ShardingConstraint(MESH, (("y",), ())), "8@x,4") == ["8@y,4"]
    assert of_results(ShardingConstraint(MESH, (None, ("y",))), "8@x,4") == ["8@x,4@y"]


def test_branches_have_one_sharding() -> None:
    index = sharded("", "i4")
    assert of_results(Case((SIN, SIN)), index, "8@x") == ["8@x"]
    assert of_results(Case((SIN, CONSTRAINED)), index, "8@x") == []  # the compiler decides


def test_carries_come_out_as_they_went_in() -> None:
    body = stage(lambda c, x: [ops.add(c, x), c], ROW, ROW).program
    loop = Scan(body, 4, 0, 1)
    assert of_results(loop, "8@x", "4,8") == ["8@x", "4,8@x"]
    assert of_results(loop, "8", "4,8@x") == ["4,8"]  # of the carry the compiler decides
    with pytest.raises(ShardingTypeError, match="leading axis"):
        of_results(loop, "8", "4@x,8")

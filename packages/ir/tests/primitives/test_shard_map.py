"""The typing rule of shard_map, and its text."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import AbstractMesh, ArrayType, bind, equal_programs, ops, stage
from treadle_ir.core.effects import NamedAxis
from treadle_ir.errors import ShardingError
from treadle_ir.primitives.shard_map import ShardMap, inside_axes
from treadle_ir.text import parse_program, print_program

MESH = AbstractMesh((4, 2), ("x", "y"))
PART = ArrayType((2, 3), np.dtype(np.float32))
WHOLE = ArrayType((8, 3), np.dtype(np.float32))

with inside_axes(MESH, ("x",), checked=True):
    BODY = stage(lambda x: [x, ops.all_reduce(x, reduction="add", axis_name="x")], PART).program
OVER_X = (("x",), ())
ALL = ((), ())
MAP = ShardMap(BODY, MESH, (OVER_X,), (OVER_X, ALL), ("x",))


def test_types_are_those_of_all_parts() -> None:
    assert MAP.infer(WHOLE) == (WHOLE, PART)


def test_it_binds_its_axes() -> None:
    assert BODY.effects == {NamedAxis("x")}
    assert MAP.effects(WHOLE) == frozenset()


@pytest.mark.parametrize(
    ("primitive", "operand"),
    [
        (MAP, ArrayType((7, 3), np.dtype(np.float32))),
        (MAP, ArrayType((4, 3), np.dtype(np.float32))),
        (ShardMap(BODY, MESH, (OVER_X,), (OVER_X,), ("x",)), WHOLE),
        (ShardMap(BODY, MESH, ((("y",), ()),), (OVER_X, ALL), ("x",)), WHOLE),
        (ShardMap(BODY, MESH, (OVER_X,), (OVER_X, ALL), ("z",)), WHOLE),
        (ShardMap(BODY, MESH, (OVER_X,), ((("x",), ("x",)), ALL), ("x",)), WHOLE),
    ],
)
def test_what_does_not_fit_is_refused(primitive: ShardMap, operand: ArrayType) -> None:
    with pytest.raises(ShardingError):
        primitive.infer(operand)


def test_its_text_parses_back() -> None:
    program = stage(lambda x: bind(MAP, x), WHOLE).program
    assert equal_programs(parse_program(print_program(program)), program)

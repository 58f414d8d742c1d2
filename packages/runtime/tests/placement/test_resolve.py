from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArrayType
from treadle_ir.errors import PlacementError
from treadle_runtime import devices
from treadle_runtime.placement.placement import BASE, committed, placement_of, uncommitted
from treadle_runtime.placement.resolve import resolve

TYPE = ArrayType((2,), np.dtype("f4"))


def test_a_placed_type_is_one_object() -> None:
    base, other = devices()[0], devices()[1]
    assert uncommitted(base) is BASE
    assert BASE.of(TYPE) is BASE.of(TYPE)
    assert committed(other) is placement_of(committed(other).sharding, committed=True)
    assert committed(other).of(TYPE) is not uncommitted(other).of(TYPE)
    assert committed(base).of(TYPE).type is TYPE


def test_committed_operands_decide() -> None:
    here, there = committed(devices()[1]), committed(devices()[2])
    free = uncommitted(devices()[2])
    where = "argument {}".format
    assert resolve([BASE.of(TYPE), free.of(TYPE)], BASE, "f", where) is BASE
    assert resolve([BASE.of(TYPE), here.of(TYPE)], BASE, "f", where) is here
    assert resolve([], free, "f", where) is free
    with pytest.raises(PlacementError, match=r"argument 1 of f .* and argument 2 of f"):
        resolve([BASE.of(TYPE), here.of(TYPE), there.of(TYPE)], BASE, "f", where)

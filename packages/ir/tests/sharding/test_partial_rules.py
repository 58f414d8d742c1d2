"""Which results are sums that are put off: the whole table is in conformance/sharding/deferred.py, by values."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.call import OptimizationBarrier
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.elementwise import Add, Divide, Multiply, Sine
from treadle_ir.primitives.shape import Transpose
from treadle_ir.testing.shardings import of_results, sharded

PRODUCT = DotGeneral(((1,), (0,)))


def test_linear_operations_give_sums() -> None:
    assert of_results(Add(), "8,4{U:x}", "8,4{U:x}") == ["8,4{U:x}"]
    assert of_results(Add(), "8@y,4{U:x}", "8@y,4{U:x}") == ["8@y,4{U:x}"]
    assert of_results(Transpose((1, 0)), "8@y,4{U:x}") == ["4,8@y{U:x}"]
    assert of_results(Multiply(), "4", "4{U:(x,y)}") == ["4{U:(x,y)}"]
    assert of_results(Divide(), "4{U:x}", "4{R:x}") == ["4{U:x}"]
    assert of_results(PRODUCT, "8,4{U:x}", "4,2") == ["8,2{U:x}"]
    assert of_results(Convert(np.dtype("f2")), "{U:x}") == ["{U:x}"]
    assert of_results(OptimizationBarrier(), "4{U:x}", "4@x") == ["4{U:x}", "4@x"]


def test_others_are_refused() -> None:
    for primitive, operands in (
        (Sine(), ["8{U:x}"]),
        (Multiply(), ["8{U:x}", "8{U:x}"]),
        (Divide(), ["8", "8{U:x}"]),
        (Convert(np.dtype("i4")), ["8{U:x}"]),
        (Add(), ["8{U:x}", "8"]),
        (Add(), ["8{U:x}", "8{U:y}"]),
        (Multiply(), ["8{U:x}", "8@x"]),
    ):
        with pytest.raises(ShardingTypeError, match=r"\{U:x\}") as caught:
            of_results(primitive, *operands)
        assert any("reshard" in note for note in caught.value.__notes__)


def test_what_is_whole_may_stand_in_a_place_of_a_sum() -> None:
    mask = sharded("8", "?")
    assert of_results(Select(), mask, "8{U:x}", "8") == ["8{U:x}"]
    with pytest.raises(ShardingTypeError, match="divides the other one"):
        of_results(Select(), mask, "8{U:x}", "8@x")


def test_what_is_reduced() -> None:
    assert of_results(Sine(), "8{R:x}") == ["8{R:x}"]
    assert of_results(Add(), "8{R:x}", "8{R:x}") == ["8{R:x}"]
    assert of_results(Add(), "8{R:x}", "8@x") == ["8@x"]
    assert of_results(Select(), sharded("8", "?"), "8{R:x}", "8{R:x}") == ["8{R:x}"]
    assert of_results(PRODUCT, "8@x,4", "4,2{R:x}") == ["8@x,2"]
    for other in ("8", "8{R:y}"):
        with pytest.raises(ShardingTypeError, match="not reduced over the same axes"):
            of_results(Add(), "8{R:x}", other)

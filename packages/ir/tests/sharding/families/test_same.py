from __future__ import annotations

import pytest

from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.call import OptimizationBarrier
from treadle_ir.primitives.compare import Clamp, Select
from treadle_ir.primitives.cumulative import CumulativeAdd
from treadle_ir.primitives.elementwise import Add, Sine
from treadle_ir.primitives.fourier import Fft
from treadle_ir.primitives.sort import Sort, TopK
from treadle_ir.testing.shardings import of_results, sharded


def test_what_is_whole_gives_way() -> None:
    assert of_results(Sine(), "8@x,4") == ["8@x,4"]
    assert of_results(Add(), "8@x,4", "8,4@y") == ["8@x,4@y"]
    assert of_results(Add(), "8@x,4", "") == ["8@x,4"]
    assert of_results(Clamp(), "", "8@x", "8") == ["8@x"]
    assert of_results(Select(), sharded("8", "?"), "8@x", "8") == ["8@x"]
    assert of_results(OptimizationBarrier(), "8@x", "4@y") == ["8@x", "4@y"]


def test_a_conflict_names_both_operands_and_the_way_out() -> None:
    with pytest.raises(
        ShardingTypeError,
        match=r"add of float32\[8@x,4\] and float32\[8@y,4\]: axis 0 is divided by 'x' in one and by 'y'",
    ) as caught:
        of_results(Add(), "8@x,4", "8@y,4")
    notes = caught.value.__notes__
    assert any("reshard" in note for note in notes)
    assert any("test_same.py" in note for note in notes)
    with pytest.raises(ShardingTypeError, match="'x' of the mesh would divide two axes"):
        of_results(Add(), "8@x,4", "8,4@x")


@pytest.mark.parametrize(
    "primitive", [CumulativeAdd(0), Sort(0), TopK(2)], ids=["cumulative", "sort", "top_k"]
)
def test_what_goes_along_an_axis_needs_it_whole(primitive: CumulativeAdd | Sort | TopK) -> None:
    last = isinstance(primitive, TopK)
    good, bad = ("8@x,4", "4,8@x") if last else ("4,8@x", "8@x,4")
    assert all("@x" in each for each in of_results(primitive, good))
    with pytest.raises(ShardingTypeError, match="goes along axis"):
        of_results(primitive, bad)


def test_fft_keeps_sizes() -> None:
    assert of_results(Fft("fft", (4,)), sharded("8@x,4", "c8")) == ["8@x,4"]
    with pytest.raises(ShardingTypeError):
        of_results(Fft("rfft", (8,)), "4,8@x")

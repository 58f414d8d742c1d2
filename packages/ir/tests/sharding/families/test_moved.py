from __future__ import annotations

import pytest

from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)
from treadle_ir.testing.shardings import of_results


def test_axes_that_stay() -> None:
    assert of_results(BroadcastInDim((3, 8, 4), (1, 2)), "8@x,4") == ["3,8@x,4"]
    assert of_results(Transpose((1, 0)), "8@x,4@y") == ["4@y,8@x"]
    assert of_results(Reverse((0,)), "8@x,4") == ["8@x,4"]


@pytest.mark.parametrize(
    ("before", "shape", "after"),
    [
        ("8@x,4", (32,), "32@x"),
        ("8@x,4", (4, 2, 4), "4@x,2,4"),
        ("8@x,4", (1, 8, 4, 1), "1,8@x,4,1"),
        ("8,4@y", (2, 4, 4), "2,4,4@y"),
        ("8@x,4@y", (32,), "32@(x,y)"),
        ("8@(x,y),4", (4, 2, 4), "4@x,2@y,4"),
        ("16@(x,y),4", (8, 2, 4), "8@(x,y),2,4"),
        ("8@x,4,4@y", (32, 4), "32@x,4@y"),
        ("0,4", (0,), "0"),
    ],
)
def test_reshape(before: str, shape: tuple[int, ...], after: str) -> None:
    assert of_results(Reshape(shape), before) == [after]


@pytest.mark.parametrize(
    ("before", "shape"),
    [
        ("8@x,4", (2, 4, 4)),  # 2 does not divide by 4
        ("8,4@y", (32,)),  # parts would not be in a row
        ("16@x,4", (32, 2)),
        ("16,4@y", (4, 4, 2, 2)),
        ("8@x,4,4@y", (128,)),
    ],
)
def test_reshape_that_asks(before: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ShardingTypeError, match="does not follow") as caught:
        of_results(Reshape(shape), before)
    assert any("out_sharding" in note for note in caught.value.__notes__)


def test_sizes_that_change() -> None:
    assert of_results(Slice((0, 0), (4, 4), (1, 1)), "8@x,4") == ["4@x,4"]
    with pytest.raises(ShardingTypeError, match="the new size 3 is not a multiple"):
        of_results(Slice((0, 0), (3, 4), (1, 1)), "8@x,4")
    assert of_results(Pad((0, 1), (0, 1), (0, 0)), "8@x,4", "") == ["8@x,6"]
    with pytest.raises(ShardingTypeError):
        of_results(Pad((1, 0), (0, 0), (0, 0)), "8@x,4", "")


def test_concatenated_arrays_have_equal_shardings() -> None:
    assert of_results(Concatenate(0), "8@x,4", "8@x,4") == ["16@x,4"]
    with pytest.raises(ShardingTypeError, match="their shardings differ"):
        of_results(Concatenate(1), "8@x,4", "8,4")

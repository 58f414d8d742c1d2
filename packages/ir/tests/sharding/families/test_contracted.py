from __future__ import annotations

import pytest

from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.contract import Convolution, DotGeneral
from treadle_ir.testing.shardings import of_results

PRODUCT = DotGeneral(((1,), (0,)))


def test_free_and_batching_axes() -> None:
    assert of_results(PRODUCT, "8@x,4", "4,8@y") == ["8@x,8@y"]
    assert of_results(PRODUCT, "8@x,4@y", "4,8") == ["8@x,8"]
    batched = DotGeneral(((2,), (1,)), ((0,), (0,)))
    assert of_results(batched, "8@x,3,4", "8,4,2@y") == ["8@x,3,2@y"]


def test_a_sum_over_parts_is_ambiguous() -> None:
    with pytest.raises(ShardingTypeError, match="ambiguous") as caught:
        of_results(PRODUCT, "4,8@x", "8@x,4")
    assert any("out_sharding" in note for note in caught.value.__notes__)


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ("8,4@y", "4@x,8", "summed over"),
        ("8@x,4", "4,8@x", "would divide two axes"),
    ],
)
def test_conflicts(x: str, y: str, why: str) -> None:
    with pytest.raises(ShardingTypeError, match=why):
        of_results(PRODUCT, x, y)


def test_convolutions_have_a_divided_batch_only() -> None:
    plain = Convolution((1,), ((0, 0),), (1,), (1,), (0, 1, 2), (0, 1, 2), (0, 1, 2))
    assert of_results(plain, "8@x,2,6", "3,2,3") == ["8@x,3,4"]
    moved = Convolution((1,), ((0, 0),), (1,), (1,), (0, 1, 2), (0, 1, 2), (1, 0, 2))
    assert of_results(moved, "8@x,2,6", "3,2,3") == ["3,8@x,4"]
    with pytest.raises(ShardingTypeError, match="only the batch"):
        of_results(plain, "8,2,8@x", "3,2,3")

from __future__ import annotations

import pytest

from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.indexing import DynamicSlice, DynamicUpdateSlice, Gather, ScatterAdd
from treadle_ir.testing.shardings import of_results, sharded

START = sharded("", "i4")


def test_slices_at_computed_places() -> None:
    assert of_results(DynamicSlice((8, 2)), "8@x,4", START, START) == ["8@x,2"]
    with pytest.raises(ShardingTypeError):
        of_results(DynamicSlice((2, 4)), "8@x,4", START, START)
    update = DynamicUpdateSlice()
    assert of_results(update, "8@x,4", "8,1", START, START) == ["8@x,4"]
    with pytest.raises(ShardingTypeError, match="lies otherwise"):
        of_results(update, "8@x,4", "1,4", START, START)


def test_gather() -> None:
    columns = Gather((0,), (1,), (1,), (8, 1))
    assert of_results(columns, "8@x,4", sharded("3,1", "i4")) == ["8@x,3"]
    assert of_results(columns, "8@x,4", sharded("2@y,1", "i4")) == ["8@x,2@y"]
    rows = Gather((1,), (0,), (0,), (1, 4))
    with pytest.raises(ShardingTypeError, match="axis 0, which is divided, is indexed") as caught:
        of_results(rows, "8@x,4", sharded("3,1", "i4"))
    assert any("get(out_sharding=" in note for note in caught.value.__notes__)
    each = Gather((), (1,), (1,), (1, 1), (0,), (0,))
    assert of_results(each, "8@x,4", sharded("8,1", "i4")) == ["8@x"]


def test_scatter() -> None:
    columns = ScatterAdd((0,), (1,), (1,))
    assert of_results(columns, "8@x,4", sharded("3,1", "i4"), "8,3") == ["8@x,4"]
    assert of_results(columns, "8@x,4", sharded("3,1", "i4"), "8@x,3") == ["8@x,4"]
    with pytest.raises(ShardingTypeError, match="the updates lies otherwise"):
        of_results(columns, "8@x,4", sharded("3,1", "i4"), "8@y,3")
    with pytest.raises(ShardingTypeError, match="places to write to"):
        of_results(columns, "8@x,4", sharded("2@y,1", "i4"), "8,2")
    rows = ScatterAdd((1,), (0,), (0,))
    with pytest.raises(ShardingTypeError, match="is indexed"):
        of_results(rows, "8@x,4", sharded("3,1", "i4"), "3,4")

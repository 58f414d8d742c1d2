"""Reductions by segment agree with a loop over the rows, with and without buckets, and refuse what they must."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.errors import ConcretizationError
from treadle_numpy import ops

STEPS: Final[dict[str, tuple[Any, Callable[[Any, Any], Any]]]] = {
    "segment_sum": (0.0, np.add),
    "segment_prod": (1.0, np.multiply),
    "segment_max": (-np.inf, np.maximum),
    "segment_min": (np.inf, np.minimum),
}


def looped(name: str, data: Any, ids: Any, count: int) -> Any:
    identity, step = STEPS[name]
    result = np.full((count, *data.shape[1:]), identity)
    for row, number in zip(data, ids, strict=True):
        if 0 <= number < count:
            result[number] = step(result[number], row)
    return result


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("name", STEPS)
@given(
    rows=st.integers(0, 9),
    rest=st.sampled_from([(), (1,), (2, 3), (0,)]),
    count=st.integers(0, 5),
    bucket=st.none() | st.integers(1, 10),
    in_order=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_a_loop_gives_the_same(
    name: str,
    rows: int,
    rest: tuple[int, ...],
    count: int,
    bucket: int | None,
    in_order: bool,
    seed: int,
) -> None:
    random = np.random.default_rng(seed)
    data, ids = random.normal(size=(rows, *rest)), random.integers(-2, 7, rows)
    if in_order:
        ids = np.sort(ids)
    found = getattr(ops, name)(data, ids, count, indices_are_sorted=in_order, bucket_size=bucket)
    np.testing.assert_allclose(np.asarray(found), looped(name, data, ids, count), rtol=1e-13)


@pytest.mark.parametrize("name", STEPS)
def test_the_number_of_segments_follows_from_the_ids(name: str) -> None:
    data, ids = np.array([1.0, 2.0, 4.0], np.float32), np.array([2, 0, -1])
    np.testing.assert_array_equal(getattr(ops, name)(data, ids), looped(name, data, ids, 3))


@pytest.mark.parametrize("name", STEPS)
def test_staged(name: str, staged: Callable[..., Any]) -> None:
    data, ids = np.array([1.0, 2.0, 4.0], np.float32), np.array([1, 0, 1], np.int32)
    function = getattr(ops, name)
    found = staged(lambda x, i: function(x, i, 3, bucket_size=2), data, ids)
    np.testing.assert_array_equal(found, looped(name, data, ids, 3))
    with pytest.raises(ConcretizationError) as refused:
        staged(function, data, ids)
    assert "  fix: pass num_segments" in refused.value.__notes__


def test_rows_out_of_range_are_clipped_on_request() -> None:
    data, ids = np.array([1.0, 2.0, 4.0], np.float32), np.array([-3, 1, 9])
    np.testing.assert_array_equal(ops.segment_sum(data, ids, 2, mode="clip"), [1, 6])


def test_buckets_keep_more_of_a_long_sum() -> None:
    data = np.full(1 << 16, 0.1, np.float32)
    ids = np.zeros(data.size, np.int32)
    exact = float(np.sum(data, dtype=np.float64))
    plain = abs(float(ops.segment_sum(data, ids, 1)[0]) - exact)
    bucketed = abs(float(ops.segment_sum(data, ids, 1, bucket_size=256)[0]) - exact)
    assert bucketed < plain / 10


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float16", "bool"])
def test_empty_segments_hold_the_end_of_the_type(dtype: str) -> None:
    data, ids = np.ones(2, dtype), np.array([1, 1])
    least, greatest = (
        (False, True)
        if dtype == "bool"
        else (-np.inf, np.inf)
        if dtype == "float16"
        else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    )
    most, fewest = ops.segment_max(data, ids), ops.segment_min(data, ids)
    assert most.dtype == fewest.dtype == dtype
    np.testing.assert_array_equal(most, np.array([least, 1], dtype))
    np.testing.assert_array_equal(fewest, np.array([greatest, 1], dtype))


def test_complex_numbers_are_ordered_by_real_part_then_by_imaginary_part() -> None:
    data, ids = np.array([1 + 2j, 1 - 5j, 3 - 1j], np.complex64), np.array([0, 0, 1])
    nothing = complex(np.inf, 0)
    assert ops.segment_max(data, ids, 3).tolist() == [1 + 2j, 3 - 1j, -nothing.real]
    assert ops.segment_min(data, ids, 3).tolist() == [1 - 5j, 3 - 1j, nothing]


def test_refused() -> None:
    data, ids = np.ones((3, 2), np.float32), np.array([0, 1, 0])
    with pytest.raises(ShapeError, match=r"one number for each row"):
        ops.segment_sum(data, ids[:2])
    with pytest.raises(ArgumentError, match="integer type"):
        ops.segment_sum(data, ids.astype(float))
    with pytest.raises(ArgumentError, match="non-negative"):
        ops.segment_sum(data, ids, -1)
    with pytest.raises(ArgumentError, match="1 or more"):
        ops.segment_sum(data, ids, 2, bucket_size=0)
    with pytest.raises(ArgumentError, match="no rows"):
        ops.segment_max(data[:0], ids[:0])
    with pytest.raises(DTypeError, match="booleans"):
        ops.segment_prod(data > 0, ids)

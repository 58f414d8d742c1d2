from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError, ops
from treadle_ir.core.dtypes import BY_NAME

X = np.array([2, np.nan, -0.0, 0.0, -np.inf, 1, -np.nan, np.inf], np.float32)
PLACES = np.arange(8, dtype=np.int32)


def test_constraints() -> None:
    with pytest.raises(ArgumentError, match="no operands"):
        ops.sort([], dimension=0)
    with pytest.raises(ShapeError, match=r"operands 0 and 1 are f32.8. and i32.7."):
        ops.sort([X, PLACES[1:]], dimension=0)
    with pytest.raises(ShapeError, match="dimension has 1"):
        ops.sort([X], dimension=1)
    with pytest.raises(
        ArgumentError, match="num_keys is 2, but must be between 1 and the number of operands, 1"
    ):
        ops.sort([X], dimension=0, num_keys=2)
    with pytest.raises(ShapeError, match="k is 9, but must be between 0 and the size 8"):
        ops.top_k(X, k=9)
    with pytest.raises(ShapeError, match="no axis to choose along"):
        ops.top_k(X[0], k=0)
    with pytest.raises(DTypeError, match="top_k: operands are c64"):
        ops.top_k(X.astype(np.complex64), k=1)


def test_nan_is_last_and_zeros_are_equal() -> None:
    values, places = ops.sort([X, PLACES], dimension=0)
    np.testing.assert_array_equal(values, [-np.inf, 0, 0, 1, 2, np.inf, np.nan, np.nan])
    assert places.tolist() == [4, 2, 3, 5, 0, 7, 1, 6]
    (swapped, places) = ops.sort([X[::-1], PLACES], dimension=0)
    assert places.tolist()[1:3] == [4, 5]  # 0.0 came first and stays first
    assert not np.signbit(np.asarray(swapped)[1])


@pytest.mark.parametrize("name", ["f8e5m2", "f8e4m3fn", "bf16", "f16"])
@pytest.mark.parametrize("keys", [1, 2])
def test_nan_is_last_in_narrow_types(name: str, keys: int) -> None:
    x = np.array([2, np.nan, 0.25, np.nan, -1, 1]).astype(BY_NAME[name])
    *_, places = ops.sort([x, *[x] * (keys - 1), PLACES[:6]], dimension=0, num_keys=keys)
    assert places.tolist() == [4, 2, 5, 0, 1, 3]


def test_alone_negative_zero_comes_first() -> None:
    (values,) = ops.sort([np.array([0.0, -0.0, 0.0], np.float64)], dimension=0)
    assert np.signbit(values).tolist() == [True, False, False]


def test_keys_in_order() -> None:
    first = np.array([1, 0, 1, 0], np.int32)
    second = np.array([2, 5, 1, 4], np.float32)
    *_, places = ops.sort([first, second, PLACES[:4]], dimension=0, num_keys=2)
    assert places.tolist() == [3, 1, 2, 0]


def test_64_bit_keys_and_extremes() -> None:
    for dtype in (np.int64, np.uint64, np.uint32, np.int8):
        info = np.iinfo(dtype)
        x = np.array([info.max, 1, info.min, info.max - 1], dtype)
        values, places = ops.sort([x, PLACES[:4]], dimension=0)
        assert values.tolist() == sorted(x.tolist())
        assert places.tolist() == np.argsort(x, kind="stable").tolist()


def test_complex_by_real_then_imaginary_part() -> None:
    x = np.array([1 + 2j, 1 - 1j, 0 + 9j], np.complex64)
    assert ops.sort([x], dimension=0)[0].tolist() == [9j, 1 - 1j, 1 + 2j]


def test_top_k_takes_nan_first_and_lower_positions_first() -> None:
    values, places = ops.top_k(X, k=4)
    np.testing.assert_array_equal(values, [np.nan, np.nan, np.inf, 2])
    assert places.tolist() == [1, 6, 7, 0]
    assert ops.top_k(np.array([5, 7, 7, 5], np.uint8), k=3)[1].tolist() == [1, 2, 0]

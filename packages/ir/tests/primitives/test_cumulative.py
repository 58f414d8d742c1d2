from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from treadle_ir import DTypeError, ShapeError, ops

X = np.array([3, 1, 2], np.float32)


def test_c1_axis() -> None:
    with pytest.raises(ShapeError, match=r"axis has 1, but the operand f32.3. has axes 0 to 0"):
        ops.cumulative_add(X, axis=1)


def test_c2_element_types() -> None:
    with pytest.raises(DTypeError, match="cumulative_add: operands are bool"):
        ops.cumulative_add(X > 1, axis=0)
    with pytest.raises(DTypeError, match="cumulative_logsumexp: operands are i32"):
        ops.cumulative_logsumexp(X.astype(np.int32), axis=0)


def test_reverse() -> None:
    assert ops.cumulative_add(X, axis=0, reverse=True).tolist() == [6, 3, 2]
    assert ops.cumulative_maximum(X, axis=0, reverse=True).tolist() == [3, 2, 2]


def test_nan_stays() -> None:
    x = np.array([1, np.nan, 3], np.float32)
    np.testing.assert_array_equal(ops.cumulative_maximum(x, axis=0), [1, np.nan, np.nan])
    np.testing.assert_array_equal(
        ops.cumulative_minimum(x, axis=0, reverse=True), [np.nan, np.nan, 3]
    )


def test_logsumexp_of_extremes() -> None:
    x = np.array([-np.inf, -np.inf, 1000, 1000, np.inf], np.float32)
    y = ops.cumulative_logsumexp(x, axis=0)
    np.testing.assert_allclose(
        np.asarray(y), [-np.inf, -np.inf, 1000, 1000 + np.log(2), np.inf], rtol=1e-6
    )


def test_narrow_floats_are_rounded_once_each() -> None:
    x = np.full(300, 0.1, ml_dtypes.bfloat16)
    exact = np.cumsum(x.astype(np.float32)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(ops.cumulative_add(x, axis=0), exact)


def test_integers_keep_their_width() -> None:
    y = ops.cumulative_add(np.array([200, 100], np.uint8), axis=0)
    assert y.dtype == np.uint8
    assert y.tolist() == [200, 44]

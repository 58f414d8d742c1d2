"""The greatest and least elements, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError
from treadle_ir.errors import AxisError
from treadle_numpy.lax import approx_max_k, approx_min_k

X = np.random.default_rng(5).permutation(60).reshape(3, 5, 4).astype(np.float32)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_extremes(axis: int) -> None:
    order = np.argsort(X, axis)
    for k in (0, 1, 3):
        values, places = approx_min_k(X, k, axis)
        expected = np.take(order, range(k), axis)
        np.testing.assert_array_equal(places, expected)
        np.testing.assert_array_equal(values, np.take_along_axis(X, expected, axis))
        values, places = approx_max_k(X, k, axis)
        expected = np.take(np.flip(order, axis), range(k), axis)
        np.testing.assert_array_equal(places, expected)
        np.testing.assert_array_equal(values, np.take_along_axis(X, expected, axis))


def test_without_aggregation_all_are_returned() -> None:
    values, _ = approx_max_k(X, 1, 1, aggregate_to_topk=False)
    np.testing.assert_array_equal(values, -np.sort(-X, 1))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: approx_max_k(X.astype(int), 1), DTypeError, "operand must be a floating type"),
        (lambda: approx_max_k(X, 5), ArgumentError, "between 0 and the size 4 of axis 2"),
        (lambda: approx_min_k(X, 1, 3), AxisError, "approx_min_k: axis 3 is out of bounds"),
        (lambda: approx_min_k(X, 1, recall_target=2), ArgumentError, "not above 0 and up to 1"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()

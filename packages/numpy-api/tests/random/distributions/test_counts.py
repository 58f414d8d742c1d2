"""Poisson and binomial numbers: recorded from JAX 0.10.2, edges, shapes, types, transformations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import ArgumentError, ShapeError
from treadle_numpy import random

KEY = np.array([0, 0], np.uint32)  # PRNGKey(0)


def test_recorded() -> None:
    assert np.asarray(random.poisson(KEY, 3.0, (5,))).tolist() == [0, 0, 4, 4, 1]
    assert np.asarray(random.poisson(KEY, 30.0, (5,))).tolist() == [22, 27, 23, 36, 25]
    assert np.asarray(random.binomial(KEY, 10, 0.3, (5,))).tolist() == [2, 2, 1, 2, 1]
    assert np.asarray(random.binomial(KEY, 100, 0.3, (5,))).tolist() == [23, 28, 24, 35, 26]


def test_edges_of_poisson() -> None:
    edges = np.array([-1.0, 0.0, np.nan, np.inf, 1e30], np.float32)
    most = 2**31 - 1
    assert np.asarray(random.poisson(KEY, edges)).tolist() == [-1, 0, -1, most, most]
    assert np.asarray(random.poisson(KEY, 1000.0, (3,), "int8")).tolist() == [127] * 3


def test_edges_of_binomial() -> None:
    n = np.array([-1.0, 0.0, np.nan, np.inf, 2.5], np.float32)
    drawn = np.asarray(random.binomial(KEY, n, 0.3))
    np.testing.assert_array_equal(drawn[:4], [np.nan, 0, np.nan, np.inf])
    assert drawn[4] in (0, 1, 2)
    p = np.array([-0.5, 0.0, np.nan, 1.0, 2.5], np.float32)
    for count in (5.0, 1000.0):
        expected = [np.nan, 0, np.nan, count, np.nan]
        np.testing.assert_array_equal(random.binomial(KEY, count, p), expected)


def test_small_and_large_means_side_by_side() -> None:
    rates = np.array([4.0, 40.0] * 20, np.float32)
    np.testing.assert_array_equal(
        np.asarray(random.poisson(KEY, rates))[::2],
        np.asarray(random.poisson(KEY, 4.0, (40,)))[::2],
    )
    n = np.array([10.0, 100.0] * 20, np.float32)
    np.testing.assert_array_equal(
        np.asarray(random.binomial(KEY, n, 0.3))[::2],
        np.asarray(random.binomial(KEY, 10.0, 0.3, (40,)))[::2],
    )


def test_types_and_shapes() -> None:
    assert random.poisson(KEY, 2.0).dtype == np.int32
    assert random.poisson(KEY, 2.0, dtype="uint8").dtype == np.uint8
    assert random.binomial(KEY, 5, 0.5).dtype == np.float32
    assert random.binomial(KEY, 5, 0.5, dtype="float16").dtype == np.float16
    assert random.poisson(KEY, np.ones((2, 1)), (2, 3)).shape == (2, 3)
    assert random.poisson(KEY, np.ones((0, 3))).shape == (0, 3)
    assert random.binomial(KEY, np.ones((2, 1)), np.full(3, 0.5)).shape == (2, 3)
    assert random.binomial(KEY, np.ones(0), 0.5).shape == (0,)
    with pytest.raises(ArgumentError, match="integer dtype"):
        random.poisson(KEY, 2.0, dtype="float32")
    with pytest.raises(ArgumentError, match="float dtype"):
        random.binomial(KEY, 2, 0.5, dtype="int32")
    with pytest.raises(ShapeError, match="incompatible shapes"):
        random.poisson(KEY, np.ones(2), (3,))
    with pytest.raises(ArgumentError, match="method"):
        random.poisson(KEY, 1.0, method="quick")


@pytest.mark.usefixtures("wide")
def test_wide() -> None:
    assert random.poisson(KEY, 2.0).dtype == np.int64
    assert random.binomial(KEY, 5, 0.5).dtype == np.float64
    # beyond the integers that 24 bits hold
    drawn = np.asarray(random.poisson(KEY, 1e12, (20,)))
    assert (abs(drawn - 1e12) < 1e7).all()


def test_staged_as_eager(staged: Callable[..., Any]) -> None:
    rates = np.array([0.5, 50.0], np.float32)
    np.testing.assert_array_equal(staged(random.poisson, KEY, rates), random.poisson(KEY, rates))
    np.testing.assert_array_equal(
        staged(lambda key, n: random.binomial(key, n, 0.3), KEY, 4 * rates),
        random.binomial(KEY, 4 * rates, 0.3),
    )


def test_derivatives_are_zero() -> None:
    assert grad(lambda p: random.binomial(KEY, 10.0, p))(np.float32(0.3)) == 0
    assert grad(lambda p: random.binomial(KEY, 100.0, p))(np.float32(0.3)) == 0

"""Membership and sets of known size agree with NumPy, for few elements, compared in pairs, and for many, searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_numpy.numpy.sets import intersect1d, isin, setdiff1d, setxor1d, union1d, unique

RANDOM = np.random.default_rng(5)
SIZES = [(7, 5), (90, 200), (50, 0), (0, 50)]


def drawn(size: int) -> Any:
    return RANDOM.integers(0, 60, size).astype(np.int32)


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_isin(staged: Callable[..., Any], n: int, m: int) -> None:
    x, others = drawn(n), drawn(m)
    np.testing.assert_array_equal(staged(isin, x, others), np.isin(x, others))
    np.testing.assert_array_equal(
        staged(lambda a, b: isin(a, b, invert=True), x, others), np.isin(x, others, invert=True)
    )


def test_isin_of_nan_and_zeros(staged: Callable[..., Any]) -> None:
    x = np.array([[np.nan, 0.0], [-0.0, 300.0]], np.float32)
    for others in (
        np.array([-0.0, np.nan], np.float32),
        np.array([np.nan, *range(200)], np.float32),
    ):
        np.testing.assert_array_equal(staged(isin, x, others), np.isin(x, others))


@pytest.mark.parametrize(("n", "m"), SIZES[:2])
@pytest.mark.parametrize(
    ("ours", "numpys"), [(setdiff1d, np.setdiff1d), (intersect1d, np.intersect1d)]
)
def test_sets_of_known_size(
    staged: Callable[..., Any], ours: Any, numpys: Any, n: int, m: int
) -> None:
    x, y = drawn(n), drawn(m)
    expected = numpys(x, y)
    found = staged(lambda a, b: ours(a, b, size=70, fill_value=-1), x, y)
    np.testing.assert_array_equal(found[: expected.size], expected)
    assert (found[expected.size :] == -1).all()


@pytest.mark.parametrize(("n", "m"), [(7, 5), (0, 3), (90, 40), (0, 0)])
@pytest.mark.parametrize("assume_unique", [False, True])
def test_setxor1d(staged: Callable[..., Any], n: int, m: int, assume_unique: bool) -> None:
    x, y = drawn(n), drawn(m)
    if assume_unique:
        x, y = np.unique(x), np.unique(y)
    expected = np.setxor1d(x, y)
    np.testing.assert_array_equal(setxor1d(x, y, assume_unique), expected)
    found = staged(lambda a, b: setxor1d(a, b, assume_unique, size=70, fill_value=-1), x, y)
    np.testing.assert_array_equal(found[: expected.size], expected)
    assert (found[expected.size :] == -1).all()
    least = staged(lambda a, b: setxor1d(a, b, assume_unique, size=70), x, y)
    assert (least[expected.size :] == (expected[0] if expected.size else 0)).all()


def test_of_nothing_and_of_rows_of_nothing() -> None:
    for shape, axis in (((0,), None), ((0, 3), 0), ((2, 0), 1)):
        found = unique(np.zeros(shape), True, True, True, axis, size=2, fill_value=7)
        values, indices, inverse, counts = map(np.asarray, found)
        assert values.shape == tuple(2 if i == (axis or 0) else n for i, n in enumerate(shape))
        assert (values == 7).all()
        assert indices.tolist() == counts.tolist() == [0, 0]
        assert inverse.size == 0
    np.testing.assert_array_equal(union1d(np.zeros(0), np.zeros(0), size=2, fill_value=7), [7, 7])
    values, indices, inverse, counts = map(
        np.asarray, unique(np.zeros((3, 0)), True, True, True, 0, size=1)
    )
    wanted = np.unique(np.zeros((3, 0)), True, True, True, 0)
    for one, other in zip((values, indices, inverse, counts), wanted, strict=True):
        np.testing.assert_array_equal(one, np.reshape(other, one.shape))

"""The four functions of the array API give NumPy's results, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_numpy.numpy import unique_all, unique_counts, unique_inverse, unique_values

ARRAYS = [
    np.array([[3, 1], [3, 2]], np.int32),
    np.array([np.nan, 1.0, np.nan, 0.0], np.float32),
    np.zeros((0, 2), np.float32),
]


@pytest.mark.parametrize("x", ARRAYS)
def test_numpys_functions_give_the_same(x: Any) -> None:
    for ours, numpys in (
        (unique_all, np.unique_all),
        (unique_counts, np.unique_counts),
        (unique_inverse, np.unique_inverse),
    ):
        found, expected = ours(x), numpys(x)
        assert found._fields == expected._fields
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(unique_values(x), np.unique_values(x))


def test_of_known_size(staged: Callable[..., Any]) -> None:
    x = np.array([3, 1, 3], np.int32)
    np.testing.assert_array_equal(
        staged(lambda a: unique_values(a, size=4, fill_value=7), x), [1, 3, 7, 7]
    )
    np.testing.assert_array_equal(staged(lambda a: unique_counts(a, size=3).counts, x), [1, 2, 0])
    # of those that are left out nothing is counted
    np.testing.assert_array_equal(staged(lambda a: unique_counts(a, size=1).counts, x), [1])

"""Rounding to more decimals than a type's numbers have leaves them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from treadle_numpy.numpy import round


@pytest.mark.parametrize(
    ("dtype", "decimals"), [(np.float16, 5), (np.float32, 39), (np.float32, 99)]
)
def test_beyond_the_range(dtype: Any, decimals: int) -> None:
    x = np.array([1.3, -2.5, 0.0, np.inf], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(round(x, decimals), x)


@pytest.mark.parametrize("decimals", [1, 2, 4])
def test_within_it(decimals: int) -> None:
    x = np.array([1.34567, -2.5, 0.0], np.float32)
    np.testing.assert_allclose(round(x, decimals), np.round(x, decimals), rtol=1e-6)

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.experimental.jet import ZeroSeries, fact, zero_series
from treadle.experimental.jet.series import derivative, integral, product


def test_factorials() -> None:
    assert fact(0) == 1
    assert fact(20) == 2432902008176640000
    np.testing.assert_array_equal(fact(np.array([[1, 2], [3, 4]])), [[1, 2], [6, 24]])


def floats(coefficients: Any) -> list[float]:
    return [float(c) for c in coefficients]


def test_calculus_of_polynomials() -> None:
    x = [np.float32(c) for c in (1, 2, 3)]
    assert floats(product(x, x)) == [1, 4, 10]
    assert floats(derivative(x)) == [1, 4, 9]
    assert floats(integral(derivative(x))) == [1, 2, 3]


def test_the_zero_series_prints_as_what_it_is_called() -> None:
    assert repr(zero_series) == "zero_series"
    assert isinstance(zero_series, ZeroSeries)

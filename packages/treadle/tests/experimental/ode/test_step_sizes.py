from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.experimental.ode import (
    abs2,
    initial_step_size,
    mean_error_ratio,
    optimal_step_size,
)


@pytest.fixture(autouse=True)
def _wide() -> Iterator[None]:
    with treadle.enable_x64(True):
        yield


def test_squares_of_absolute_values() -> None:
    np.testing.assert_array_equal(abs2(np.array([3 + 4j, -2j])), [25, 4])
    assert float(abs2(-2.0)) == 4


@pytest.mark.parametrize(
    ("ratio", "factor"),
    [(0.0, 10), (1e-8, 10), (0.1, 0.9 * 10**0.2), (0.9, 1), (1.0, 0.9), (32.0, 0.45), (1e9, 0.2)],
)
def test_a_step_follows_from_the_last_one(ratio: float, factor: float) -> None:
    np.testing.assert_allclose(optimal_step_size(2.0, ratio), 2 * factor, rtol=1e-12)


def test_a_ratio_that_is_nan_gives_a_step_that_is() -> None:
    assert np.isnan(optimal_step_size(1.0, np.nan))


def test_errors_are_measured_against_the_larger_end() -> None:
    found = mean_error_ratio(
        tnp.array([1e-8, 2e-8]), 1e-6, 1e-7, tnp.array([1.0, 2.0]), tnp.array([-3.0, 1.0])
    )
    allowed = 1e-7 + 1e-6 * np.array([3.0, 2.0])
    np.testing.assert_allclose(found, np.sqrt(np.mean((np.array([1e-8, 2e-8]) / allowed) ** 2)))


def test_the_first_step_is_hairer_s() -> None:
    y0, t0 = tnp.array([1.0, 2.0]), tnp.asarray(0.5)
    step = initial_step_size(lambda y, t: -y * t, t0, y0, 4, 1e-6, 1e-6, -y0 * t0)
    np.testing.assert_allclose(step, 0.0276687733139455, rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_first_step_of_a_constant_is_positive(value: float) -> None:
    y0 = tnp.array([value])
    step = initial_step_size(lambda y, t: 0 * y, tnp.asarray(0.0), y0, 4, 1e-6, 1e-6, 0 * y0)
    assert 0 < float(step) < 1

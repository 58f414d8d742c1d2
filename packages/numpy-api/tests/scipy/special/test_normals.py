"""The normal distribution's logarithm, to units in the last place."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

from treadle_autodiff import grad
from treadle_numpy.scipy.special import log_ndtr


@pytest.mark.parametrize(("low", "high"), [(-1e4, -30.0), (-30.0, 0.0), (0.0, 2.0), (2.0, 12.0)])
def test_log_ndtr(low: float, high: float) -> None:
    x = np.random.default_rng(0).uniform(low, high, 2000).astype(np.float32)
    true = scipy.special.log_ndtr(x.astype(np.float64))
    apart = np.abs(np.asarray(log_ndtr(x)).astype(np.float64) - true)
    units = apart / np.spacing(np.abs(true).astype(np.float32))
    assert np.all(units <= (4.0 + 0.5 * x * x if low >= 0 else 4.0))


def test_log_ndtr_at_ends() -> None:
    x = np.array([-np.inf, np.inf, np.nan, 0.0, -0.0], np.float32)
    expected = [-np.inf, 0.0, np.nan, -np.log(2), -np.log(2)]
    np.testing.assert_allclose(log_ndtr(x), expected, rtol=1e-7)


def test_its_slope_in_the_far_tail() -> None:
    np.testing.assert_allclose(grad(log_ndtr)(np.float32(-100.0)), 100.01, rtol=1e-6)

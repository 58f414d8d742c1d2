"""hypot on the axes, the diagonals and at the origin."""

from __future__ import annotations

import math

import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_autodiff import grad

pytestmark = pytest.mark.usefixtures("wide")


def test_hypot_is_smooth_on_diagonals_and_axes() -> None:
    zero, one, two = (np.float64(x) for x in (0.0, 1.0, 2.0))
    second = grad(grad(tnp.hypot))
    assert math.isclose(float(second(one, one)), 1 / math.sqrt(8), rel_tol=1e-15)
    assert grad(tnp.hypot)(zero, two) == 0.0
    assert second(zero, two) == 0.5
    assert second(two, zero) == 0.0


def test_hypot_at_the_origin_and_far_from_it() -> None:
    zero, far = np.float64(0.0), np.float64(1e300)
    assert grad(tnp.hypot)(zero, zero) == 0.0
    assert math.isclose(float(grad(tnp.hypot)(far, far)), math.sqrt(0.5), rel_tol=1e-15)


def test_hypot_of_special_numbers_is_numpys() -> None:
    """The result is infinite with any other operand, as IEEE 754 defines it, also with NaN."""
    numbers = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5])
    x, y = (each.ravel() for each in np.meshgrid(numbers, numbers))
    expected = np.hypot(x, y)
    np.testing.assert_allclose(np.asarray(tnp.hypot(x, y)), expected, rtol=1e-15)

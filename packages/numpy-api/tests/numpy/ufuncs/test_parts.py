"""Parts of numbers that are not complex."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_numpy.numpy import angle


@pytest.mark.parametrize("deg", [False, True])
def test_the_angle_of_a_real_number(deg: bool) -> None:
    x = np.array([0.0, -0.0, 2.0, -2.0, np.inf, -np.inf, np.nan], np.float32)
    np.testing.assert_allclose(angle(x, deg), np.angle(x, deg), rtol=1e-6)

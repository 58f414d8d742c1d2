"""Limits of least squares that are arrays: the first call and later ones, which LAPACK may serve, take them."""

import numpy as np
import pytest

import treadle.numpy as tnp


@pytest.mark.parametrize("rcond", [1e-6, np.float32(1e-6), tnp.array(1e-6)], ids=str)
def test_a_limit_may_be_an_array(rcond: object) -> None:
    draw = np.random.default_rng(0)
    matrix, right = draw.standard_normal((5, 3)), draw.standard_normal(5)
    expected = np.linalg.lstsq(matrix, right, rcond=1e-6)[0]
    for _ in range(3):
        found = tnp.linalg.lstsq(tnp.asarray(matrix), tnp.asarray(right), rcond=rcond)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-4)
        fitted = tnp.polyfit(tnp.arange(5.0), tnp.arange(5.0) ** 2, 2, rcond=rcond)
        np.testing.assert_allclose(fitted, [1, 0, 0], atol=1e-3)

"""Modified Bessel functions against mpmath."""

import mpmath as mp
import numpy as np
import pytest

from treadle_ir.formulas import bessels
from treadle_ir.reference.special.engine import evaluated


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("formula", "order", "bound"), [(bessels.bessel_i0e, 0, 3), (bessels.bessel_i1e, 1, 10)]
)
def test_error_is_bounded(errors, formula, order, bound, dtype):
    random = np.random.default_rng(1)
    x = np.concatenate([random.uniform(-10, 10, 80), 10 ** random.uniform(-30, 4, 40), [8.0]])
    x = x.astype(dtype)

    def truth(x):
        return mp.besseli(order, x) * mp.exp(-abs(x))

    assert np.max(errors(formula, truth, x, dtype=dtype)) < bound


def test_ends():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(evaluated(bessels.bessel_i0e, x), [1, 1, 0, 0, np.nan])
    value = evaluated(bessels.bessel_i1e, x)
    np.testing.assert_array_equal(value, [0, -0.0, 0, 0, np.nan])
    np.testing.assert_array_equal(np.signbit(value), [False, True, False, True, False])

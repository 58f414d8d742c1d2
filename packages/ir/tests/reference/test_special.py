"""Special functions in NumPy at their poles; their values elsewhere are in conformance/test_truth.py."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ops


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_digamma_at_its_poles(dtype):
    x = np.array([0.0, -0.0, -1.0, -2.0, -np.inf, np.inf], dtype)
    expected = [-np.inf, -np.inf, np.nan, np.nan, np.nan, np.inf]
    np.testing.assert_array_equal(ops.digamma(x), expected)

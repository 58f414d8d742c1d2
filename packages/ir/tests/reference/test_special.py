"""Special functions in NumPy at their poles; their values elsewhere are in conformance/test_truth.py."""

from __future__ import annotations

import numpy as np

from treadle_ir import ops
from treadle_ir.reference import few


def test_digamma_at_its_poles():
    x = np.resize(np.array([0.0, -0.0, -1.0, -2.0, -np.inf, np.inf], np.float64), few.MOST + 6)
    expected = np.resize([-np.inf, -np.inf, np.nan, np.nan, np.nan, np.inf], x.size)
    np.testing.assert_array_equal(ops.digamma(x), expected)
    np.testing.assert_array_equal(ops.digamma(x.astype(np.float32)), expected)
    np.testing.assert_array_equal(ops.digamma(x[:6].astype(np.float32)), expected[:6])  # `few`

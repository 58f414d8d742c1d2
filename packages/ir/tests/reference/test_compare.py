"""Comparisons of what has no order."""

from __future__ import annotations

import numpy as np

from treadle_ir import ops
from treadle_ir.core import float0


def test_all_float0_are_equal() -> None:
    x, y = np.zeros((2, 3), float0), np.zeros((), float0)
    for one, other in ((x, x), (x, y), (y, x)):
        np.testing.assert_array_equal(
            ops.compare(one, other, direction="eq"), np.ones((2, 3), bool)
        )
        np.testing.assert_array_equal(
            ops.compare(one, other, direction="ne"), np.zeros((2, 3), bool)
        )

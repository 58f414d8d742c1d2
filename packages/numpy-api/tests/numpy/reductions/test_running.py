"""Running sums and products that begin with what they start from."""

from __future__ import annotations

import numpy as np
import pytest

import treadle_numpy.numpy as tnp


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_the_initial_value_is_along_the_axis(axis: int) -> None:
    x = np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3)
    for function, name in ((tnp.cumulative_sum, "sum"), (tnp.cumulative_prod, "prod")):
        found = np.asarray(function(x, axis=axis, include_initial=True))
        expected = getattr(np, f"cumulative_{name}")(x, axis=axis, include_initial=True)
        np.testing.assert_array_equal(found, expected)

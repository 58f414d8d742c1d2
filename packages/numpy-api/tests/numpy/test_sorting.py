"""Positions that sort, in an element type that is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_numpy.numpy import argsort


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32"])
def test_positions_in_another_type(dtype: str, descending: bool) -> None:
    x = np.array([3, 1, 2])
    found = argsort(x, dtype=dtype, descending=descending)
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, argsort(x, descending=descending))

"""Arrays of one value."""

from __future__ import annotations

import numpy as np
import pytest

import treadle_numpy.numpy as tnp


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, complex(0.0, -0.0), complex(-0.0, 0.0)])
def test_zeros_keep_their_signs(value: complex) -> None:
    found = np.asarray(tnp.full((2, 3), value))
    for part in ("real", "imag"):
        expected = np.full((2, 3), getattr(value, part))
        np.testing.assert_array_equal(getattr(found, part), expected)
        np.testing.assert_array_equal(np.signbit(getattr(found, part)), np.signbit(expected))

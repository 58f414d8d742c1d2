"""Bounds of random integers."""

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy.random import key, randint


def test_floats_are_bounds_without_their_fractions() -> None:
    wanted = np.asarray(randint(key(0), (20,), 2, 9))
    for low, high in ((2.0, np.float64(9)), (2.7, 9.5), (2, np.full(20, 9.2, np.float32))):
        assert np.array_equal(randint(key(0), (20,), low, high), wanted)
    ends = np.iinfo(np.int32)
    assert np.array_equal(
        randint(key(0), (20,), -np.inf, 1e20), randint(key(0), (20,), ends.min, ends.max)
    )
    assert not np.asarray(randint(key(0), (20,), False, True)).any()
    with pytest.raises(ArgumentError, match="must be real numbers, got complex64"):
        randint(key(0), (20,), 2, np.complex64(3))

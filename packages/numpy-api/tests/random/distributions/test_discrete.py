"""Bounds of random integers."""

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy.random import key, randint


def test_whole_floats_are_bounds() -> None:
    wanted = np.asarray(randint(key(0), (20,), 2, 9))
    assert np.array_equal(randint(key(0), (20,), 2.0, np.float64(9)), wanted)
    for bound in (9.5, float("nan"), float("inf"), np.ones((), np.float32)):
        with pytest.raises(ArgumentError, match="must be integers"):
            randint(key(0), (20,), 2, bound)

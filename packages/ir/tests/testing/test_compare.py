"""Distances in units in the last place."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from treadle_ir.testing.compare import distance

TYPES = ("bfloat16", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2")


@pytest.mark.parametrize("name", TYPES)
def test_the_next_number_is_one_unit_away(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    one = np.ones((), dtype)
    following = one + np.asarray(ml_dtypes.finfo(dtype).eps, dtype)
    assert distance(following, one) == 1
    least = np.asarray(ml_dtypes.finfo(dtype).smallest_normal, dtype)
    assert distance(least + least, least) == 1 / float(ml_dtypes.finfo(dtype).eps)

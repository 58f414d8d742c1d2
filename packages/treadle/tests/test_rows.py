"""`x[positions]`: eager, where the host has the positions, and compiled, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import treadle
import treadle.numpy as tnp

INTEGERS = st.sampled_from([np.int8, np.uint8, np.uint16, np.int32])
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4)


def expected(x: Any, positions: Any) -> Any:
    """Negative positions count from the end; those out of range are clipped."""
    wide = positions.astype(np.int64)
    wrapped = np.where(wide < 0, wide + len(x), wide)
    return x[np.clip(wrapped, 0, len(x) - 1)]


@settings(deadline=None, max_examples=60)
@given(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4), hnp.arrays(INTEGERS, SHAPES))
def test_rows_agree_with_numpy_eager_and_compiled(shape: tuple[int, ...], positions: Any) -> None:
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    array, index = tnp.asarray(x), tnp.asarray(positions)
    wanted = expected(x, positions)
    np.testing.assert_array_equal(array[index], wanted)
    np.testing.assert_array_equal(treadle.jit(lambda x, i: x[i])(array, index), wanted)
    np.testing.assert_array_equal(treadle.jit(lambda x: x[index])(array), wanted)


def test_rows_of_nothing() -> None:
    empty = tnp.zeros((0, 3))
    with pytest.raises(IndexError, match="axis of size 0"):
        empty[tnp.asarray([0])]
    assert empty[tnp.zeros((0,), tnp.int32)].shape == (0, 3)


def test_positions_keep_their_device() -> None:
    device = treadle.devices()[0]
    x = treadle.device_put(tnp.arange(3.0), device)
    assert x[tnp.asarray([1])].committed
    assert tnp.arange(3.0)[treadle.device_put(tnp.asarray([1]), device)].committed


def test_positions_of_an_array_stay_as_they_were() -> None:
    positions = tnp.asarray([-1, 0])
    tnp.arange(3.0)[positions]
    np.testing.assert_array_equal(positions, [-1, 0])

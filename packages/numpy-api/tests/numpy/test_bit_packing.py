"""Packed and unpacked bits are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, DTypeError
from treadle_ir.errors import AxisError
from treadle_numpy.numpy import packbits, unpackbits

SHAPES = st.sampled_from([(0,), (1,), (8,), (9,), (2, 11), (3, 0), (2, 3, 5)])
ORDERS = st.sampled_from(["big", "little"])


@given(SHAPES, st.integers(-3, 3) | st.none(), ORDERS, st.integers(-20, 90) | st.none())
@settings(max_examples=120, deadline=None)
def test_numpys_functions_give_the_same(
    shape: tuple[int, ...], axis: int | None, bitorder: Any, count: int | None
) -> None:
    if axis is not None and not -len(shape) <= axis < len(shape):
        axis = 0
    random = np.random.default_rng(1)
    x = random.integers(-1, 2, shape)
    found = packbits(x, axis, bitorder)
    expected = np.packbits(x != 0, axis, bitorder)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, expected)
    if count is not None and count < 0 and axis is not None:
        count = max(count, -8 * expected.shape[axis])  # NumPy refuses more
    elif count is not None and count < 0:
        count = max(count, -8 * expected.size)
    back = unpackbits(found, axis, count, bitorder)
    bits = np.unpackbits(expected, axis, count, bitorder)
    # NumPy 2.4 fills what it makes of no bytes with what lay in memory.
    np.testing.assert_array_equal(back, bits if expected.size else np.zeros_like(bits))


def test_refused() -> None:
    with pytest.raises(DTypeError, match="integers and booleans"):
        packbits(np.ones(3))
    with pytest.raises(DTypeError, match="uint8"):
        unpackbits(np.ones(3, np.int32))
    with pytest.raises(ArgumentError, match="'big' or 'little'"):
        packbits(np.ones(3, bool), bitorder="middle")
    with pytest.raises(AxisError):
        unpackbits(np.ones(3, np.uint8), 1)

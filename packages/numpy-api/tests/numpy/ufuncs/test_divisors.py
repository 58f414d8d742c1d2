"""Greatest common divisors and least common multiples are Python's, and refuse operands that are not integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import DTypeError, ShapeError
from treadle_numpy.numpy import gcd, lcm

NUMBERS = st.integers(-(10**4), 10**4)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=6))
@settings(max_examples=60, deadline=None)
def test_pythons_functions_give_the_same(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    np.testing.assert_array_equal(gcd(x, y), [math.gcd(*pair) for pair in pairs])
    np.testing.assert_array_equal(lcm(x, y), [math.lcm(*pair) for pair in pairs])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_types_and_ends(dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = np.array([limits.max, limits.max, 0, limits.min + 1], dtype)
    y = np.array([limits.max, 1, 0, 0], dtype)
    found = gcd(x, y)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.gcd(x, y))
    assert lcm(x, y).dtype == dtype


@pytest.mark.usefixtures("wide")
def test_the_longest_way() -> None:
    """Neighbouring Fibonacci numbers take the most steps."""
    one, other = 1, 1
    while one + other < 2**63:
        one, other = other, one + other
    assert int(gcd(np.int64(other), np.int64(one))) == 1


def test_broadcast_and_staged(staged: Callable[..., Any]) -> None:
    x, y = np.arange(-3, 3, dtype=np.int32)[:, None], np.arange(4, dtype=np.int32)
    np.testing.assert_array_equal(staged(gcd, x, y), np.gcd(x, y))
    np.testing.assert_array_equal(staged(lcm, x, y), np.lcm(x, y))
    assert gcd(np.zeros((0, 2), np.int32), 3).shape == (0, 2)


def test_refused() -> None:
    with pytest.raises(DTypeError, match="gcd takes integers"):
        gcd(1.5, 2)
    with pytest.raises(DTypeError, match="lcm takes integers"):
        lcm(True, False)
    with pytest.raises(ShapeError):
        gcd(np.arange(2), np.arange(3))

"""Functions of several instructions against Python's integers and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import DTypeError, ShapeError
from treadle_ir.settings import X64
from treadle_numpy.lax import log2, mulhi, one_minus_square, polynomial

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TYPES), st.data())
def test_mulhi(name: str, data: st.DataObject) -> None:
    """The upper half of Python's own product, over the whole range and at its ends."""
    info = np.iinfo(name)
    numbers = st.one_of(
        st.integers(int(info.min), int(info.max)),
        st.sampled_from([int(info.min), int(info.max), 0, 1, int(info.max) - 1]),
    )
    x, y = data.draw(numbers), data.draw(numbers)
    with X64.override(True):
        found = mulhi(np.array([x], name), np.array([y], name))
    assert found.dtype == np.dtype(name)
    assert int(np.asarray(found)[0]) == (x * y) >> info.bits


def test_mulhi_of_scalars_and_errors() -> None:
    np.testing.assert_array_equal(mulhi(np.array([1 << 30, 5], np.int32), 8), [2, 0])
    with pytest.raises(DTypeError, match="mulhi: needs two integers of one type, got float32"):
        mulhi(1.0, 2.0)
    with pytest.raises(ShapeError):
        mulhi(np.ones(2, np.int32), np.ones(3, np.int32))


def test_log2() -> None:
    x = np.array([0.5, 1.0, 3.0, np.inf, 0.0], np.float32)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(log2(x), np.log2(x), rtol=1e-6)
    z = np.array([1j, -2.0], np.complex64)
    np.testing.assert_allclose(log2(z), np.log2(z), rtol=1e-6)
    with pytest.raises(DTypeError, match="log2: needs floating or complex numbers, got int32"):
        log2(2)


def test_one_minus_square_keeps_digits_near_one() -> None:
    x = np.float32(1) - np.float32(2.0**-20)
    exact = 1 - float(x) ** 2
    assert abs(float(one_minus_square(x)) - exact) <= 2e-7 * exact
    assert int(one_minus_square(3)) == -8


def test_polynomial() -> None:
    x = np.linspace(-2, 2, 7, dtype=np.float32)
    for coefficients in ([], [2.0], [1.0, -3.0, 0.5], [1.0, 0.0, 0.0, 2.0]):
        np.testing.assert_allclose(
            polynomial(x, coefficients), np.polyval(coefficients[::-1], x), rtol=1e-5
        )
    each = [np.float32(2) * x, x]
    np.testing.assert_allclose(polynomial(x, each), x * x + 2 * x, rtol=1e-6)
    np.testing.assert_allclose(polynomial(x, np.array([1, 3], np.float32)), 3 * x + 1, rtol=1e-6)
    assert polynomial(x, [2.0]).shape == x.shape

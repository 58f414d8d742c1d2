"""Mantissas, exponents, fractions and spacings are NumPy's bit for bit, also of subnormal numbers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_autodiff import jvp, vjp
from treadle_ir import DTypeError
from treadle_numpy.numpy import frexp, ldexp, modf, spacing

FLOATS = ["float16", "float32", "float64"]


def corners(dtype: str) -> Any:
    limits = np.finfo(dtype)
    sizes = [0.0, 1.0, 0.75, 3.0, limits.max, limits.tiny, limits.smallest_subnormal, 5.5]
    some = np.array([*sizes, limits.tiny / 2, np.inf, np.nan], dtype)
    return np.concatenate([some, -some])


def same(found: Any, expected: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("dtype", FLOATS)
def test_corners(dtype: str) -> None:
    x = corners(dtype)
    finite = np.isfinite(x)
    mantissas, exponents = frexp(x)
    same(mantissas, np.frexp(x)[0])
    np.testing.assert_array_equal(np.asarray(exponents)[finite], np.frexp(x)[1][finite])
    assert not np.any(np.asarray(exponents)[~finite])
    for found, expected in zip(modf(x), np.modf(x), strict=True):
        same(found, expected)
    most = np.abs(x) == np.finfo(dtype).max  # of which NumPy's next number is infinite
    with np.errstate(all="ignore"):  # NumPy's of a negative float16 is the distance towards zero
        expected = np.copysign(np.spacing(np.abs(x)), np.where(x < 0, -1, 1).astype(dtype))
    same(np.asarray(spacing(x))[~most], expected[~most])


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("dtype", FLOATS)
@given(bits=st.integers(0, 2**64 - 1), power=st.integers(-2300, 2300), narrow=st.integers(-40, 40))
@settings(max_examples=80, deadline=None)
def test_any_float(dtype: str, bits: int, power: int, narrow: int) -> None:
    width = np.dtype(dtype).itemsize
    x = np.frombuffer(bits.to_bytes(8, "little")[:width], dtype)
    with np.errstate(all="ignore"):
        mantissa, exponent = frexp(x)
        same(mantissa, np.frexp(x)[0])
        same(ldexp(mantissa, exponent), x)
        for by in (power, narrow):
            same(ldexp(x, by), np.ldexp(x, by))


@pytest.mark.parametrize(
    ("number", "slope"), [(0.0, 1.0), (3.0, 0.25), (-1e-30, 2.0**99), (np.inf, 1.0)]
)
def test_slopes_of_mantissas(number: float, slope: float) -> None:
    x: Any = np.float32(number)
    one: Any = np.float32(1)
    assert jvp(lambda x: frexp(x)[0], (x,), (one,))[1] == slope
    assert vjp(lambda x: frexp(x)[0], x)[1](one)[0] == slope


def test_bfloat16() -> None:
    x = np.array([1.5, -3.0, 0.0], ml_dtypes.bfloat16)
    mantissas, exponents = frexp(x)
    assert mantissas.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(mantissas, np.float32), [0.75, -0.75, 0])
    np.testing.assert_array_equal(exponents, [1, 2, 0])
    np.testing.assert_array_equal(np.asarray(spacing(x), np.float32)[:2], [2.0**-7, -(2.0**-6)])


def test_integers_and_shapes() -> None:
    assert frexp(8)[0].dtype == np.float32
    assert int(frexp(8)[1]) == 4
    assert ldexp(np.int8(3), np.int8(3)).dtype == np.float32
    np.testing.assert_array_equal(ldexp(np.ones((2, 1), np.float32), np.arange(3)), [[1, 2, 4]] * 2)
    assert ldexp(1.0, np.zeros((0, 3), np.int32)).shape == (0, 3)
    np.testing.assert_array_equal(ldexp(1.0, np.array([255], np.uint8)), [np.inf])


def test_refused() -> None:
    for function in (frexp, modf, spacing):
        with pytest.raises(DTypeError, match="complex"):
            function(1j)
    with pytest.raises(DTypeError, match="must be integers"):
        ldexp(1.0, 2.0)
    with pytest.raises(DTypeError, match="complex"):
        ldexp(1j, 2)

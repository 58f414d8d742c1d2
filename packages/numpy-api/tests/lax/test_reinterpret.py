"""Bits read as another type: against NumPy's view, staged and not, and for 4-bit integers, which NumPy lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from treadle_autodiff import grad, jvp
from treadle_ir import DTypeError, ShapeError
from treadle_numpy import lax
from treadle_numpy.lax.reinterpret import viewed

COMPLEX = np.array([[1 + 2j, -3 + 0.5j]], np.complex64)


@pytest.mark.parametrize(
    ("x", "dtype"),
    [
        (np.array([1.5, -2.0], np.float32), "u1"),
        (np.array([1.5, -2.0], np.float32), "i4"),
        (np.array([1.5, -2.0], np.float32), "c8"),
        (np.arange(16, dtype=np.uint8).reshape(2, 8), "f4"),
        (COMPLEX, "f4"),
        (COMPLEX, "f8"),
        (COMPLEX, "c16"),
        (COMPLEX, "u1"),
        (COMPLEX[0, 0], "f8"),
        (np.array([True, False]), "u2"),
        (np.array([1, 0], np.int8), "?"),
    ],
    ids=str,
)
def test_view_is_numpys(staged: Callable[..., Any], x: Any, dtype: str) -> None:
    expected = np.asarray(x).view(dtype)

    def view(y: Any) -> Any:
        return viewed(y, np.dtype(dtype))

    for found in (np.asarray(view(np.asarray(x))), staged(view, x)):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_four_bits_count_as_four(staged: Callable[..., Any]) -> None:
    x = np.array([1, -2, 3, 7], ml_dtypes.int4)
    bytes_ = staged(lambda y: viewed(y, np.dtype(np.uint8)), x)
    np.testing.assert_array_equal(bytes_, [0xE1, 0x73])  # the lower half first
    back = staged(lambda y: viewed(y, np.dtype(ml_dtypes.int4)), bytes_)
    np.testing.assert_array_equal(back.astype(np.int8), x.astype(np.int8))
    split = staged(lambda y: lax.bitcast_convert_type(y, "int4"), bytes_)
    np.testing.assert_array_equal(split.astype(np.int8), [[1, -2], [3, 7]])
    joined = staged(lambda y: lax.bitcast_convert_type(y, "uint8"), split)
    np.testing.assert_array_equal(joined, bytes_)


def test_bitcast_refuses_what_has_no_such_elements() -> None:
    with pytest.raises(ShapeError, match="last axis of size 2"):
        lax.bitcast_convert_type(np.zeros(4, ml_dtypes.int4), "int8")
    with pytest.raises(DTypeError, match="only as itself"):
        lax.bitcast_convert_type(np.zeros(4, np.complex64), "float32")


def test_parts_of_complex_numbers_have_derivatives() -> None:
    z, dz = COMPLEX[0], np.array([2 - 1j, 0.5j], np.complex64)
    real, complex_ = np.dtype(np.float32), np.dtype(np.complex64)
    _, parts = jvp(lambda z: viewed(z, real), (z,), (dz,))
    np.testing.assert_array_equal(parts, dz.view(real))
    _, back = jvp(lambda x: viewed(x, complex_), (z.view(real),), (dz.view(real),))
    np.testing.assert_array_equal(back, dz)
    weights = np.array([1, 2, 3, 4], np.float32)
    slope = grad(lambda z: (viewed(z, real) * weights).sum())(z)
    np.testing.assert_array_equal(slope, [1 - 2j, 3 - 4j])

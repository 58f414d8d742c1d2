"""Products of operands of two element types: the wider one's, computed so that nothing is lost before."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from treadle_numpy import lax
from treadle_numpy.numpy import asarray

MATRICES = (((1,), (0,)), ((), ()))
# In this order, each holds more than those before.
ORDER: list[Any] = [
    np.bool_,
    np.uint8,
    np.int8,
    np.uint16,
    np.int16,
    np.uint32,
    np.int32,
    ml_dtypes.float8_e4m3b11fnuz,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2,
    np.float16,
    ml_dtypes.bfloat16,
    np.float32,
    np.complex64,
]


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_the_result_has_the_type_that_holds_more(place: int) -> None:
    x = asarray(np.eye(3).astype(ORDER[place]))
    for other, dtype in enumerate(ORDER):
        y = asarray(np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype))
        product = lax.dot_general(x, y, MATRICES)
        assert product.dtype == ORDER[max(place, other)]
        np.testing.assert_array_equal(np.asarray(product).astype(complex), [[1, 0], [0, 1], [1, 1]])
        np.testing.assert_array_equal(np.asarray(lax.dot(x, y)), np.asarray(product))


def test_small_floats_are_multiplied_in_32_bits() -> None:
    """f16 holds digits that bf16 does not, and bf16 sizes that f16 does not."""
    x = np.full((1, 4), 1 + 2**-9, np.float16)
    y = np.full((4, 1), 2.0**100, ml_dtypes.bfloat16)
    product = lax.dot_general(x, y, MATRICES, preferred_element_type=np.float32)
    np.testing.assert_array_equal(product, [[4 * (1 + 2**-9) * 2.0**100]])
    assert lax.dot_general(x, y, MATRICES).dtype == ml_dtypes.bfloat16


def test_another_kind_may_be_wanted() -> None:
    x, y = np.ones((2, 3), np.int8), np.ones((3, 2), np.int32)
    product = lax.dot_general(x, y, MATRICES, preferred_element_type=np.float32)
    assert product.dtype == np.float32
    np.testing.assert_array_equal(product, np.full((2, 2), 3.0))

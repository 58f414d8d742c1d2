"""Functions of complex numbers where an exponential, a power or a root is 0 or infinite, with and without `jit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, strategies as st

import treadle
from treadle import lax

Function: TypeAlias = Callable[[Any], Any]

CASES: dict[str, tuple[Function, complex, complex]] = {
    "logistic where the exponential overflows": (lax.logistic, complex(-100, 1), 0),
    "logistic of minus infinity": (lax.logistic, complex(-np.inf, 1), 0),
    "logistic of infinity": (lax.logistic, complex(np.inf, 1), 1),
    "a power of two that is 0": (lax.exp2, complex(-np.inf, 1), 0),
    "a power of 0 that is not real": (lambda y: lax.pow(np.complex64(0), y), 0.5 + 0.5j, 0),
    "the inverse of an infinite root": (lax.rsqrt, complex(0, np.inf), 0),
    "the inverse of a power that overflows": (lambda x: lax.integer_pow(x, -3), 1e20 + 1e20j, 0),
    "the inverse of infinity": (lax.reciprocal, complex(np.inf, -np.inf), 0),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("transform", [lambda f: f, treadle.jit], ids=["at once", "jit"])
def test_ends(transform: Callable[[Function], Function], case: str) -> None:
    function, x, expected = CASES[case]
    found = transform(function)(np.array([x], np.complex64))
    np.testing.assert_allclose(np.asarray(found), [expected], rtol=1e-6, atol=1e-37)


@given(st.complex_numbers(max_magnitude=1e3, allow_nan=False, allow_infinity=False))
def test_two_logistics_are_one(z: complex) -> None:
    """`logistic(z) + logistic(-z)` is 1 wherever `1 + exp(z)` is not near 0, and neither is ever NaN."""
    x = np.array([z, -z], np.complex64)
    one, other = np.asarray(lax.logistic(x))
    assert np.isfinite([one, other]).all()
    size = max(abs(one), abs(other), 1)
    # near a pole, an error of one unit in exp(z) is one of size**2 units in the result
    assert abs(one + other - 1) <= 1e-5 * size + 1e-6 * size**2

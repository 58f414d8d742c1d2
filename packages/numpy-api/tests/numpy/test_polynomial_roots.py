"""Polynomials have the roots that they were made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ShapeError
from treadle_ir.errors import ConcretizationError
from treadle_numpy.numpy import poly, roots

ROOTS = st.lists(st.integers(-4, 4), max_size=5, unique=True).map(lambda v: np.array(v, float))


@pytest.mark.usefixtures("wide")
@given(ROOTS, st.integers(0, 2), st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_roots_of_polynomials(zeros: Any, leading: int, trailing: int) -> None:
    coefficients = poly(zeros)
    np.testing.assert_allclose(coefficients, np.poly(zeros), atol=1e-9)
    padded = np.pad(np.atleast_1d(coefficients), (leading, trailing))
    found = np.asarray(roots(padded))
    expected = np.sort(np.concatenate([zeros, np.zeros(trailing)]))
    np.testing.assert_allclose(np.sort(found.real), expected, atol=1e-6)
    np.testing.assert_allclose(found.imag, 0, atol=1e-6)


@pytest.mark.usefixtures("wide")
def test_matrices_and_complex_roots() -> None:
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_allclose(poly(matrix), np.poly(matrix), atol=1e-12)
    np.testing.assert_allclose(poly(np.array([1j, -1j])), [1, 0, 1], atol=1e-12)
    found = np.asarray(roots(np.array([1.0, 0.0, 1.0])))
    np.testing.assert_allclose(np.sort(found.imag), [-1, 1], atol=1e-12)
    assert roots(np.zeros(3)).shape == roots(np.array([3.0])).shape == (0,)


def test_traced(staged: Callable[..., Any]) -> None:
    p = np.array([1.0, -3.0, 2.0], np.float32)
    found = staged(lambda a: roots(a, strip_zeros=False), p)
    np.testing.assert_allclose(np.sort(found.real), [1, 2], rtol=1e-5)
    with pytest.raises(ConcretizationError, match="depends on the elements"):
        staged(roots, p)


def test_refused() -> None:
    with pytest.raises(ShapeError, match="a vector"):
        roots(np.ones((2, 2)))
    with pytest.raises(ShapeError, match="square matrix"):
        poly(np.ones((2, 3)))


@pytest.mark.parametrize("leading", [0, 1, 2, 4])
def test_leading_zeros_leave_the_roots_and_one_nan_each_at_the_end(leading: int) -> None:
    coefficients = np.array([0.0] * leading + [1.0, -3.0, 2.0, 0.0], np.float32)
    found = np.asarray(roots(coefficients, strip_zeros=False))
    assert found.size == leading + 3
    assert np.isnan(found[3:]).all()
    np.testing.assert_allclose(np.sort(found[:3].real), [0, 1, 2], atol=1e-5)


def test_no_polynomial_has_no_roots() -> None:
    assert np.isnan(np.asarray(roots(np.zeros(4, np.float32), strip_zeros=False))).all()

"""The trapezoidal rule against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import treadle_numpy as tnp
from treadle_ir import ArgumentError


@given(st.integers(1, 40), st.integers(0, 3), st.sampled_from(["float32", "float64", "int32"]))
def test_numbers_are_numpys(size, rows, dtype):
    rng = np.random.default_rng(size)
    y = rng.integers(-50, 50, (rows, size)).astype(dtype)
    x = np.sort(rng.normal(size=size)).astype(np.float32)
    for options in ({}, {"dx": 0.5}, {"dx": 3}, {"x": x}):
        found = np.asarray(tnp.trapezoid(y, **options))
        np.testing.assert_allclose(found, np.trapezoid(y, **options), rtol=2e-5, atol=2e-3)
    found = np.asarray(tnp.trapezoid(y, axis=0))
    np.testing.assert_allclose(found, np.trapezoid(y, axis=0), rtol=2e-5, atol=2e-3)


@pytest.mark.parametrize(
    "y", [[np.inf, 1, 2], [1, 2, -np.inf], [np.inf, np.inf], [np.inf, -np.inf], [np.nan, 1], [1, 3]]
)
def test_ends_count_half_and_infinite_ones_are_not_lost(y):
    with np.errstate(invalid="ignore"):
        expected = np.trapezoid(np.float32(y))
    np.testing.assert_array_equal(tnp.trapezoid(np.float32(y)), expected)


def test_complex_numbers_have_an_area():
    y = np.array([1 + 2j, 3, 5j], np.complex64)
    np.testing.assert_allclose(tnp.trapezoid(y), np.trapezoid(y))


def test_an_array_for_a_step_promotes():
    found = tnp.trapezoid(np.ones((2, 3), np.float16), dx=np.float32(2))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [4, 4])


def test_a_single_element_has_no_area():
    np.testing.assert_array_equal(tnp.trapezoid(np.ones((3, 1))), np.zeros(3))


def test_a_step_is_a_number():
    with pytest.raises(ArgumentError, match="position 2"):
        tnp.trapezoid(np.ones(3), dx="a")


@pytest.mark.parametrize("y", [[1.0], [1.0, 2.0, 4.0]])
def test_steps_have_an_element_type_of_their_own(y):
    y = tnp.asarray(y, "float16")
    steps = tnp.ones(max(1, y.size - 1), "float32")
    assert tnp.trapezoid(y, dx=steps).dtype == np.float32
    assert tnp.trapezoid(y, dx=2j).dtype == np.complex64
    assert tnp.trapezoid(y, dx=2).dtype == np.float16
    np.testing.assert_allclose(tnp.trapezoid(y, dx=steps), np.trapezoid(np.asarray(y)))

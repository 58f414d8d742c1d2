"""Elementwise functions against NumPy, eagerly and staged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import treadle_numpy as tnp
from treadle_ir import ArgumentError, ShapeError

X = np.array([-2.5, -1.0, -0.25, 0.0, 0.5, 1.0, 3.5], np.float32)
UNARY = [
    "abs",
    "cos",
    "exp",
    "expm1",
    "floor",
    "ceil",
    "sin",
    "sinh",
    "cosh",
    "tanh",
    "sign",
    "square",
    "trunc",
    "rint",
    "negative",
    "isfinite",
    "isnan",
    "isinf",
    "signbit",
    "deg2rad",
    "rad2deg",
    "fabs",
    "arctan",
    "arcsinh",
    "cbrt",
    "exp2",
    "logical_not",
    "positive",
    "reciprocal",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "arctan2",
    "hypot",
    "copysign",
    "logaddexp",
    "floor_divide",
    "remainder",
    "fmod",
    "fmax",
    "fmin",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "heaviside",
]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, staged: Callable[..., Any]) -> None:
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(X)
    function = getattr(tnp, name)
    np.testing.assert_allclose(function(X), expected, rtol=2e-6)
    np.testing.assert_allclose(staged(function, X), expected, rtol=2e-6)
    assert np.asarray(function(X)).dtype == expected.dtype


@pytest.mark.parametrize("name", BINARY)
def test_binary_with_broadcasting(name: str, staged: Callable[..., Any]) -> None:
    y = np.array([[2.0], [-0.5]], np.float32)
    expected = getattr(np, name)(X, y)
    function = getattr(tnp, name)
    np.testing.assert_allclose(function(X, y), expected, rtol=2e-6)
    np.testing.assert_allclose(staged(function, X, y), expected, rtol=2e-6)


@settings(max_examples=200, deadline=None)
@given(st.integers(-100, 100), st.integers(-20, 20).filter(bool))
def test_integer_division(x: int, y: int) -> None:
    a, b = np.array([x], np.int32), np.array([y], np.int32)
    assert int(np.asarray(tnp.floor_divide(a, b))[0]) == x // y
    assert int(np.asarray(tnp.remainder(a, b))[0]) == x % y


@settings(max_examples=200, deadline=None)
@given(st.floats(-50, 50, width=32), st.floats(0.125, 8, width=32), st.booleans())
def test_float_division(x: float, y: float, negative: bool) -> None:
    a, b = np.array([x], np.float32), np.array([-y if negative else y], np.float32)
    np.testing.assert_allclose(tnp.remainder(a, b), np.remainder(a, b), rtol=1e-6)
    np.testing.assert_array_equal(tnp.floor_divide(a, b), np.floor_divide(a, b))


def test_what_is_no_array_is_refused() -> None:
    with pytest.raises(
        ArgumentError,
        match=r"sin requires ndarray or scalar arguments, got <class 'list'> at position 0",
    ):
        tnp.sin([1.0])  # type: ignore[arg-type]
    with pytest.raises(
        ArgumentError,
        match="add requires ndarray or scalar arguments, got <class 'NoneType'> at position 1",
    ):
        tnp.add(X, None)  # type: ignore[arg-type]


def test_shapes_that_do_not_broadcast() -> None:
    with pytest.raises(
        ShapeError, match=r"add got incompatible shapes for broadcasting: \(3,\), \(4,\)"
    ):
        tnp.add(np.ones(3, np.float32), np.ones(4, np.float32))


def test_integer_to_negative_power() -> None:
    with pytest.raises(TypeError, match="negative powers"):
        tnp.power(np.array([2], np.int32), -1)


def test_list_with_a_traced_array(staged: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        staged(lambda x: x.__add__([1.0]), X)
    with pytest.raises(TypeError, match="do not support item assignment"):
        staged(lambda x: x.__setitem__(0, 1.0), X)

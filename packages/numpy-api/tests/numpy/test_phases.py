"""Angles without jumps, by periods that are not known while a program is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_numpy import numpy as tnp

pytestmark = pytest.mark.usefixtures("wide")

ANGLES = np.array([3.0, 1.0, -2.0, 3.25, 0.5, 9.0])


@pytest.mark.parametrize("period", [np.array(3.0), np.array(3), np.int32(4), np.float32(2.5)])
def test_periods_that_are_arrays(period: Any, staged: Callable[..., Any]) -> None:
    for x in (ANGLES, ANGLES.astype(np.int64)):
        expected = np.unwrap(x, period=period.item())
        np.testing.assert_allclose(tnp.unwrap(x, period=period), expected, rtol=1e-12)
        found = staged(lambda p: tnp.unwrap(x, period=p), period)  # noqa: B023
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert np.asarray(tnp.unwrap(x, period=period)).dtype.kind == expected.dtype.kind


@pytest.mark.parametrize("period", [1, 2, 3, 5, 6])
def test_integers_change_by_whole_periods(period: int) -> None:
    x = np.random.default_rng(period).integers(-20, 20, 50)
    found = np.asarray(tnp.unwrap(x, period=period))
    np.testing.assert_array_equal(found, np.unwrap(x, period=period))
    np.testing.assert_array_equal((found - x) % period, 0)


def test_the_slope_along_the_period_counts_the_turns() -> None:
    turns = np.round((np.unwrap(ANGLES, period=3.0) - ANGLES) / 3.0)
    slope = grad(lambda p: tnp.sum(tnp.unwrap(ANGLES, period=p)))(3.0)
    np.testing.assert_allclose(slope, turns.sum(), rtol=1e-12)


@pytest.mark.parametrize("period", [np.ones(2), 1j, "a"])
def test_periods_that_are_no_number(period: Any) -> None:
    with pytest.raises(ArgumentError, match="unwrap"):
        tnp.unwrap(ANGLES, period=period)


@pytest.mark.parametrize(
    ("discont", "error"),
    [(np.ones(4), ShapeError), (np.ones((2, 5)), ShapeError), (1j, ArgumentError)],
)
def test_jumps_that_are_no_number(discont: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^unwrap"):
        tnp.unwrap(ANGLES, discont=discont)


def test_a_jump_for_each_step() -> None:
    each = np.array([0.5, 4.0, 9.0, 4.0, 4.0])
    expected = np.unwrap(ANGLES, discont=each, period=3.0)  # type: ignore[call-overload]
    np.testing.assert_allclose(tnp.unwrap(ANGLES, discont=each, period=3.0), expected)


def test_complex_angles() -> None:
    with pytest.raises(DTypeError, match="unwrap: angles are real numbers, got c128"):
        tnp.unwrap(ANGLES * 1j)

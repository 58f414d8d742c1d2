"""Reductions of windows and along axes by functions that are recognised: the initial value counts once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy import lax

STARTS = (0, 0.0, -np.inf, np.inf, np.float32(0), 2.5, np.float32(-3), np.array(4, np.float32))
FUNCTIONS: dict[Any, Any] = {lax.add: np.add, lax.max: np.maximum, lax.min: np.minimum}


def elements(size: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).integers(-9, 9, size).astype(np.float32)


@pytest.mark.parametrize("start", STARTS, ids=repr)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_initial_value_is_combined_with_each_window(function: Any, start: Any) -> None:
    x, combine = elements(6), FUNCTIONS[function]
    found = lax.reduce_window(x, start, function, (2,), (1,), [(0, 0)])
    assert found.dtype == np.float32
    expected = combine(combine(x[:-1], x[1:]), np.float32(start))
    np.testing.assert_array_equal(found, expected)
    whole = lax.reduce(x, start, function, (0,))
    np.testing.assert_array_equal(whole, combine(combine.reduce(x), np.float32(start)))


def test_padding_and_steps_of_several_axes() -> None:
    x = elements(12).reshape(3, 4)
    found = lax.reduce_window(x, 0.0, lax.add, (2, 1), (1, 2), [(1, 0), (0, 1)], (1, 2), (2, 1))
    rows = np.pad(x, ((1, 0), (0, 0)))
    sums = rows[:-2] + rows[2:]
    holes = np.zeros((2, 8), np.float32)
    holes[:, :-1:2] = sums
    np.testing.assert_array_equal(found, holes[:, ::2])
    assert float(lax.reduce_window(np.float32(3), 1.0, lax.add, (), (), [])) == 4.0


def test_initial_values_of_another_kind_are_refused() -> None:
    with pytest.raises(ArgumentError, match="reduce_window requires"):
        lax.reduce_window(elements(6), "0", lax.add, (2,))  # type: ignore[call-overload]


def test_extremes_of_complex_numbers() -> None:
    x = np.array([1 + 2j, 3 - 1j, 1 - 5j, 1 + 2j], np.complex64)
    greatest = lax.reduce_window(x, np.complex64(0), lax.max, (2,), (1,), "VALID")
    assert np.asarray(greatest).tolist() == [3 - 1j, 3 - 1j, 1 + 2j]
    assert complex(lax.reduce(x, np.complex64(2 - 1j), lax.min, (0,))) == 1 - 5j

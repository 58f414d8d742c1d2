"""Protocols of Python on arrays; as functions, since the reference evaluator's arrays are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.arrays.protocols import contains

X: Any = np.array([[0.5, 1.0, 2.0], [3.0, 4.0, np.nan]], np.float32)


@pytest.mark.parametrize("value", [0.5, 7, np.float32(4.0), np.nan, X[0], X[1] + 1])
def test_contains_as_numpy_does(value: Any) -> None:
    assert contains(X, value) is (value in X)


@pytest.mark.parametrize("value", ["abc", [0.5, 1.0], None, {1}])
def test_contains_takes_arrays_and_numbers(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"Array.__contains__ requires"):
        contains(X, value)


def test_contains_names_shapes_that_do_not_fit() -> None:
    with pytest.raises(ShapeError):
        contains(X, np.zeros(2, np.float32))


def test_a_number_is_looked_for_in_the_element_type() -> None:
    tenth: Any = np.array([0.1], np.float32)
    assert contains(tenth, 0.1)
    assert not contains(tenth, np.float32(0.2))

"""Shapes that functions of two operands take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ShapeError
from treadle_numpy import lax

FUNCTIONS: list[Any] = [lax.add, lax.mul, lax.pow, lax.atan2, lax.lt, lax.igamma, lax.complex]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sizes_of_1_are_repeated(function: Any) -> None:
    draw = np.random.default_rng(0)
    for one, two in (((1,), (2,)), ((1, 3), (2, 1)), ((2, 3), (1, 1)), ((1,), (0,))):
        x = draw.uniform(0.5, 2, one).astype(np.float32)
        y = draw.uniform(0.5, 2, two).astype(np.float32)
        whole = np.broadcast_arrays(x, y)
        np.testing.assert_array_equal(function(x, y), function(*whole))


def test_exponents_and_three_operands() -> None:
    x = np.array([[1.5], [2.0]], np.float32)
    found = lax.pow(x, np.array([[2, 3]], np.int32))
    np.testing.assert_allclose(found, np.array([[2.25, 3.375], [4, 8]]))
    assert lax.betainc(x, np.ones((1, 2), np.float32), np.full((1, 1), 0.5, np.float32)).shape == (
        2,
        2,
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_shapes_are_refused(function: Any) -> None:
    two, three, row = (np.ones(n, np.float32) for n in (2, 3, (1, 2)))
    with pytest.raises(ShapeError, match="got incompatible shapes for broadcasting"):
        function(two, three)
    with pytest.raises(ShapeError, match="whose shapes must be equal"):
        function(two, row)

"""What is found fulfils the strong Wolfe conditions, wherever the search starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_autodiff import value_and_grad
from treadle_numpy import numpy as tnp
from treadle_numpy.scipy.optimize.line_searches import Search, line_search

FUNCTIONS: tuple[Callable[[Any], Any], ...] = (
    lambda x: ((x - 1) ** 2).sum(),
    lambda x: (x**4 - 3 * x**2 + x).sum(),
    lambda x: tnp.log1p((x - 2) ** 2).sum(),
    lambda x: (tnp.cosh(x) - 2 * x).sum(),
)


def searched(function: Callable[[Any], Any], at: float, first: float, maxiter: int = 30) -> Search:
    both = value_and_grad(function)
    x = tnp.asarray(np.array([at]))
    value, gradient = both(x)
    return line_search(both, x, value, gradient, -gradient, tnp.asarray(first), maxiter)


@pytest.mark.usefixtures("wide")
@given(st.sampled_from(FUNCTIONS), st.floats(-3, 3), st.floats(1e-3, 30))
@settings(max_examples=60, deadline=None)
def test_wolfe_conditions(function: Callable[[Any], Any], at: float, first: float) -> None:
    value, (slope,) = value_and_grad(function)(np.array([at]))
    if abs(slope) < 1e-3:
        return
    found = searched(function, at, first)
    step, after, gradient = [np.asarray(found.low[i]).item() for i in (0, 1, 3)]
    assert bool(found.found)
    assert step > 0
    # at the minimum of a square, what is left is the rounding of the point
    np.testing.assert_allclose(function(np.array([at - step * slope])), after, atol=1e-12)
    assert after <= value - 1e-4 * step * slope**2 + 1e-12
    assert abs(gradient * slope) <= 0.9 * slope**2


@pytest.mark.usefixtures("wide")
def test_no_minimum() -> None:
    found = searched(lambda x: x.sum(), 0.0, 1.0, maxiter=4)
    assert not bool(found.found)
    assert not bool(found.bounded)
    assert float(found.low.distance) == 8


@pytest.mark.usefixtures("wide")
def test_values_that_are_no_numbers_are_too_high() -> None:
    found = searched(lambda x: (x - tnp.log(x)).sum(), 3.0, 50.0)
    assert bool(found.found)
    assert 3 - float(found.low.distance) * 2 / 3 > 0

"""Quantiles of numbers some of which are infinite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_numpy import numpy as tnp

pytestmark = pytest.mark.usefixtures("wide")


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("ends", [(-3.0, np.inf), (-np.inf, 2.0), (-np.inf, np.inf)])
def test_at_an_element_a_quantile_is_that_element(
    name: str, ends: tuple[float, float], staged: Callable[..., Any]
) -> None:
    low, high = ends
    x = np.array([1.0, high, low, 0.5, 1.5])
    q = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(getattr(tnp, name)(x, q), np.sort(x))
        found = staged(lambda x, q: getattr(tnp, name)(x, q), x, q)
    np.testing.assert_array_equal(found, np.sort(x))


def test_slopes_of_quantiles() -> None:
    x = np.array([3.0, 1.0, 2.0])
    np.testing.assert_allclose(grad(lambda x: tnp.quantile(x, 0.4))(x), [0.0, 0.2, 0.8])
    np.testing.assert_allclose(grad(lambda x: tnp.quantile(x, 0.5))(x), [0.0, 0.0, 1.0])
    np.testing.assert_allclose(grad(lambda q: tnp.quantile(x, q))(0.4), 2.0)
    with np.errstate(invalid="ignore"):
        endless = grad(lambda x: tnp.quantile(x, 1.0))(np.array([1.0, np.inf, 2.0]))
    np.testing.assert_array_equal(endless, [0.0, 1.0, 0.0])

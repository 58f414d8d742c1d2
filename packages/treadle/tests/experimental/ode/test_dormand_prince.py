from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import RK45

import treadle
import treadle.numpy as tnp
from treadle.experimental.ode import dormand_prince as dopri


@pytest.fixture(autouse=True)
def _wide() -> Iterator[None]:
    with treadle.enable_x64(True):
        yield


def test_the_coefficients_are_scipy_s() -> None:
    np.testing.assert_allclose(dopri.BETA[-1], RK45.B, rtol=1e-15)
    np.testing.assert_allclose(-np.array(dopri.ERROR), RK45.E, rtol=1e-12, atol=1e-16)
    for row, known in zip(dopri.BETA[:-1], RK45.A[1:], strict=True):
        np.testing.assert_allclose(row, known[: len(row)], rtol=1e-14)


def f(y: Any, t: Any) -> Any:
    return -y * t


def errors(dt: float) -> tuple[float, float]:
    """Of the end of a step, and of the middle of its polynomial."""
    t0, y0 = tnp.asarray(0.5), tnp.array([1.0])
    y1, _, _, k = dopri.runge_kutta_step(f, y0, f(y0, t0), t0, tnp.asarray(dt))
    exact = lambda t: np.exp((0.25 - t**2) / 2)  # noqa: E731 - the solution
    middle = tnp.polyval(tnp.stack(dopri.interp_fit_dopri(y0, y1, k, tnp.asarray(dt))), 0.3)
    return abs(float(y1[0]) - exact(0.5 + dt)), abs(float(middle[0]) - exact(0.5 + 0.3 * dt))


def test_a_step_is_of_order_five_and_its_polynomial_of_order_four() -> None:
    (end, inside), (half_end, half_inside) = errors(0.4), errors(0.2)
    assert end / half_end > 2**5.5
    assert inside / half_inside > 2**4.5


def test_the_polynomial_fits_values_and_slopes() -> None:
    coefficients = np.array([3.0, -1.0, 2.0, 0.5, 7.0])
    slope = np.polyder(coefficients)
    dt = 0.25
    fit: Any = dopri.fit_4th_order_polynomial  # called with starred arguments
    fitted = fit(
        *(np.polyval(coefficients, x) for x in (0, 1, 0.5)),
        *(np.polyval(slope, x) / dt for x in (0, 1)),
        dt,
    )
    np.testing.assert_allclose(fitted, coefficients, rtol=1e-12)

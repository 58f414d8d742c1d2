"""The derivative of the incomplete gamma function by its parameter: against mpmath, in parts of an ulp of float32."""

from __future__ import annotations

from itertools import product
from typing import Final

import mpmath
import numpy as np
import pytest
import scipy.special

from treadle_runtime.evaluation.host.incomplete_gamma import igamma_grad_a

PART: Final = 0.1  # of an ulp of float32, so that rounding leaves 0.6
X: Final = (1e-3, 0.3, 0.5, 1.0, 2.0, 3.9, 4.1, 8.0, 20.0)


def slope(a: float, x: float) -> float:
    """Return the derivative of the lower function by mpmath."""
    with mpmath.workdps(80):
        step = mpmath.mpf(10) ** -25
        return float(mpmath.diff(lambda t: mpmath.gammainc(t, 0, x, regularized=True), a, h=step))


@pytest.mark.parametrize("a", [2e-4, 0.01, 0.5, 1.0, 3.7, 40.0, 300.0, 999.0])
def test_parts_of_an_ulp(a: float) -> None:
    compared = 0
    for x in (*X, 0.9 * a, 1.1 * a, 1.5 * a):
        true = slope(a, x)
        if abs(true) < 2e-38:  # below float32, whatever it is
            continue
        found = igamma_grad_a(a, x, scipy.special.psi)
        if found is not None:
            compared += 1
            assert abs(found - true) <= PART * float(np.spacing(np.float32(abs(true)))), x
    assert compared >= (2 if a > 100 else 6)


def test_what_is_outside_is_left_to_the_formula() -> None:
    for pair in product((0.0, -1.0, 1e5, np.inf, np.nan), (1.0,)):
        assert igamma_grad_a(*pair, scipy.special.psi) is None
        assert igamma_grad_a(*pair[::-1], scipy.special.psi) is None

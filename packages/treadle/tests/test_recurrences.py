"""Recurrences of many elements are loops: written out, XLA fuses terms that grow exponentially, for minutes."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.scipy.special import bessel_jn


@pytest.mark.parametrize("run", [lambda f: f, treadle.jit])
def test_bessel_functions_of_many_elements(run) -> None:
    z = tnp.linspace(0.1, 20, 1 << 18)
    found = np.asarray(run(lambda z: bessel_jn(z, v=3))(z)).astype(np.float64)
    lowest, first, second, third = found
    # J[n - 1] + J[n + 1] = 2 n / z J[n]
    np.testing.assert_allclose(lowest + second, 2 / np.asarray(z) * first, atol=2e-6)
    np.testing.assert_allclose(first + third, 4 / np.asarray(z) * second, atol=2e-6)
    few = np.asarray(bessel_jn(z[::10_000], v=3))
    np.testing.assert_allclose(found[:, ::10_000], few, atol=1e-6)

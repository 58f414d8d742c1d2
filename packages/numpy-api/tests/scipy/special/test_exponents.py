"""Functions of exponentials where they are infinite."""

from __future__ import annotations

import numpy as np

from treadle_numpy.scipy import special


def test_logsumexp_of_nothing_but_minus_infinity() -> None:
    x = np.array([-np.inf, -np.inf], np.float32)
    np.testing.assert_allclose(special.logsumexp(x), -np.inf)

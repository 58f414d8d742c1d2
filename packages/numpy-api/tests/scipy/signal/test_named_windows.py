"""SciPy's windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal as scipys

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.scipy.signal.named_windows import _PLAIN, as_window

PARAMETERS = (
    *(("kaiser", 3.0), ("gaussian", 2.0), ("general_gaussian", 1.5, 2.0), ("general_hamming", 0.6)),
    *(("tukey", 0.25), ("tukey", 0.0), ("tukey", 1.0)),
)


@pytest.mark.parametrize("window", [*_PLAIN, *PARAMETERS], ids=str)
@pytest.mark.parametrize("n", [1, 2, 7, 16])
def test_values(window: Any, n: int) -> None:
    found, count = as_window("f", window, n, 99)
    assert count == n
    np.testing.assert_allclose(found, scipys.get_window(window, n), atol=1e-15)


def test_lengths() -> None:
    assert as_window("f", "hann", None, 999)[1] == 256
    assert as_window("f", "hann", None, 9)[1] == 9
    assert as_window("f", np.ones(5), None, 9)[1] == 5


def test_refused() -> None:
    for window in (
        "other",
        ("other", 1.0),
        ("hann", 1.0),
        ("kaiser",),
        ("kaiser", "much"),
        (),
        None,
    ):
        with pytest.raises(ArgumentError, match="f: "):
            as_window("f", window, 4, 9)
    with pytest.raises(ArgumentError, match="nperseg"):
        as_window("f", np.ones(3), 4, 9)
    for array in (np.ones((2, 2)), np.ones(0), np.ones(3) * 1j, np.ones(10)):
        with pytest.raises(ShapeError):
            as_window("f", array, None, 9)

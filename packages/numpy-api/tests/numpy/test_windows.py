"""Windows are NumPy's, in the element type in force."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy.numpy import windows


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(name: str) -> None:
    for count in (0, 1, 2, 7, 8):
        found = np.asarray(getattr(windows, name)(count))
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, getattr(np, name)(count).astype(np.float32))
    with pytest.raises(ArgumentError, match=f"{name}: M is -1, but must not be negative"):
        getattr(windows, name)(-1)
    with pytest.raises(ArgumentError, match=f"{name}: M must be an integer"):
        getattr(windows, name)(2.5)

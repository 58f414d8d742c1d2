"""What an argument that was left out is, to the functions that ask for its shape or type."""

from __future__ import annotations

import numpy as np

from treadle_numpy import numpy as tnp


def test_none_has_no_axes_and_the_default_type() -> None:
    assert tnp.shape(None) == ()
    assert tnp.ndim(None) == 0
    assert tnp.size(None) == 1
    assert tnp.result_type(None) == tnp.result_type(None, np.int8) == np.float32

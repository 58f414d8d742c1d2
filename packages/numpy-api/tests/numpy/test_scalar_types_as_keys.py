"""Scalar types among keys: NumPy's class finds treadle's, and the other way round, as with JAX's."""

from __future__ import annotations

import numpy as np

from treadle_numpy import numpy as tnp


def test_either_is_found_where_the_other_one_is_a_key() -> None:
    assert np.int32 in {tnp.int32, tnp.int64}
    assert tnp.int32 in {np.int32: "found"}
    assert tnp.float32 not in {np.int32, np.float64}
    assert np.dtype("int32") == tnp.int32

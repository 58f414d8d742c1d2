"""Arrays in another element type."""

from __future__ import annotations

import numpy as np

from treadle_ir import ops
from treadle_numpy.numpy import astype


def test_arrays_of_several_types_become_one_type() -> None:
    for dtype in (np.float32, np.int32, np.uint8, np.float32):
        x = ops.convert(np.array([1, 2, 3]), dtype=np.dtype(dtype))
        for wanted in (np.float32, np.int32):
            found = astype(x, wanted)
            np.testing.assert_array_equal(found, np.array([1, 2, 3], wanted), strict=True)

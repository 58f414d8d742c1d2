"""Mapped axes of length 0: there is no slice of size 1 of them."""

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import ops

ROWS, STARTS = np.zeros((0, 5), np.float32), np.zeros(0, np.int32)


@pytest.mark.parametrize(
    ("function", "arguments", "shape"),
    [
        (lambda x, i: ops.dynamic_slice(x, i, sizes=(2,)), (ROWS, STARTS), (0, 2)),
        (
            lambda x, i: ops.dynamic_update_slice(x, np.ones(2, np.float32), i),
            (ROWS, STARTS),
            (0, 5),
        ),
    ],
)
def test_empty_batches(function, arguments, shape):
    result = vmap(function)(*arguments)
    assert result.shape == shape
    assert result.dtype == np.float32

"""Shape functions agree with the shapes of results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy import lax

NUMBERS = ("NHWC", "HWIO", "NHWC")
X, KERNEL = np.ones((2, 7, 6, 3), np.float32), np.ones((3, 2, 3, 4), np.float32)


@pytest.mark.parametrize("padding", ["SAME", "VALID", [(1, 2), (0, 3)]])
def test_shapes(padding: Any) -> None:
    whole = lax.conv_general_dilated(X, KERNEL, (2, 1), padding, dimension_numbers=NUMBERS)
    assert (
        lax.conv_general_shape_tuple(X.shape, KERNEL.shape, (2, 1), padding, NUMBERS) == whole.shape
    )
    larger = lax.conv_transpose(X, KERNEL, (2, 3), padding, dimension_numbers=NUMBERS)
    assert (
        lax.conv_transpose_shape_tuple(X.shape, KERNEL.shape, (2, 3), padding, NUMBERS)
        == larger.shape
    )
    pads = padding if isinstance(padding, str) else [(0, 0), *padding, (0, 0)]
    window = lax.reduce_window(X, 0.0, lax.add, (1, 3, 2, 1), (1, 2, 1, 1), pads)
    assert lax.reduce_window_shape_tuple(X.shape, (1, 3, 2, 1), (1, 2, 1, 1), pads) == window.shape


def test_plain_and_grouped() -> None:
    assert lax.conv_shape_tuple((2, 3, 8, 8), (4, 3, 3, 3), (1, 2), "SAME", 2) == (1, 4, 8, 4)
    with pytest.raises(ArgumentError, match="batch_group_count 3 does not divide the batch"):
        lax.conv_shape_tuple((2, 3, 8), (4, 3, 3), (1,), "SAME", 3)
    with pytest.raises(ArgumentError, match="one positive number for each of the 1 axes"):
        lax.conv_shape_tuple((2, 3, 8), (4, 3, 3), (1, 1), "SAME")
    with pytest.raises(ArgumentError, match="'NHWX' must consist of"):
        lax.conv_general_permutations(("NHWC", "HWIO", "NHWX"))

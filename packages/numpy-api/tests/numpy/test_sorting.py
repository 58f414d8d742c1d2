"""Positions that sort, in an element type that is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ShapeError
from treadle_numpy.numpy import argsort, top_k


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32"])
def test_positions_in_another_type(dtype: str, descending: bool) -> None:
    x = np.array([3, 1, 2])
    found = argsort(x, dtype=dtype, descending=descending)
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, argsort(x, descending=descending))


@pytest.mark.parametrize("mode", ["largest", "smallest"])
@pytest.mark.parametrize("k", [-1, 4])
def test_more_than_there_are(mode: str, k: int) -> None:
    with pytest.raises(ShapeError, match=f"top_k: k is {k}, but must be between 0 and the size 3"):
        top_k(np.arange(3), k, mode=mode)


@pytest.mark.parametrize("mode", ["largest", "smallest"])
def test_values_and_places_are_a_list(mode: str) -> None:
    """As of `lax.top_k`, and of JAX 0.12."""
    found = top_k(np.array([3, 1, 2]), 2, mode=mode)
    assert type(found) is list
    assert [x.tolist() for x in found] == (
        [[3, 2], [0, 2]] if mode == "largest" else [[1, 2], [1, 2]]
    )

"""Edges of bins are in one element type, given or computed."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_numpy.numpy import histogram, histogram_bin_edges


@pytest.mark.parametrize("edges", [np.array([0, 2, 4], np.int32), np.array([0, 2, 4], np.float32)])
@pytest.mark.parametrize(
    ("elements", "found"), [("int32", "float32"), ("float16", "float16"), ("uint8", "float32")]
)
def test_edges_that_are_given(elements: str, found: str, edges: object) -> None:
    x = np.arange(6).astype(elements)
    for each in (histogram_bin_edges(x, edges), histogram(x, edges)[1]):  # type: ignore[arg-type]  # arrays
        assert each.dtype == histogram_bin_edges(x, 2).dtype == np.dtype(found)
        np.testing.assert_array_equal(each, [0, 2, 4])

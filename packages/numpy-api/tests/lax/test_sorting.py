"""Sorted arrays, and arrays that are rearranged with them."""

from __future__ import annotations

import numpy as np

from treadle_numpy import lax


def test_keys_and_values_are_sorted_together() -> None:
    keys, values = np.array([[3, 1, 2], [1, 1, 0]]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    ordered, rearranged = lax.sort_key_val(keys, values)
    np.testing.assert_array_equal(ordered, [[1, 2, 3], [0, 1, 1]])
    np.testing.assert_array_equal(rearranged, [[2, 3, 1], [6, 4, 5]])
    ordered, rearranged = lax.sort_key_val(keys, values, dimension=0)
    np.testing.assert_array_equal(ordered, np.sort(keys, axis=0))
    np.testing.assert_array_equal(rearranged, [[4, 2, 6], [1, 5, 3]])

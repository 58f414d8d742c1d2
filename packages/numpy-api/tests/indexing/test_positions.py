"""The integer type of positions."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import DTypeError
from treadle_numpy.indexing.positions import counting, result_type


def test_positions_are_wide_where_an_axis_has_more_places_than_i32_counts() -> None:
    most = np.iinfo(np.int32).max
    assert counting((2, most)) == result_type("argmax", most) == np.int32
    assert counting((most + 1, 2)) == np.int64
    with pytest.raises(DTypeError, match="argmax: int32 cannot hold every position"):
        result_type("argmax", most + 1)

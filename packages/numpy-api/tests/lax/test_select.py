"""What may choose in `lax.select`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import DTypeError
from treadle_numpy import lax


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int32, np.uint8])
def test_integers_hold_where_they_are_above_zero(dtype: Any) -> None:
    given = np.array([0, 1, 2, 0]).astype(dtype)
    x, y = np.arange(4.0, dtype=np.float32), np.full(4, -1, np.float32)
    np.testing.assert_array_equal(lax.select(given, x, y), np.where(given > 0, x, y))
    np.testing.assert_array_equal(lax.select(dtype(1), x, y), x)


def test_what_is_below_zero_does_not_hold() -> None:
    assert float(lax.select(np.int32(-1), np.float32(1), np.float32(2))) == 2.0
    assert float(lax.select(1, np.float32(1), np.float32(2))) == 1.0


def test_other_types_are_refused() -> None:
    with pytest.raises(DTypeError, match="select: the condition is f32"):
        lax.select(np.float32(1), np.float32(1), np.float32(2))

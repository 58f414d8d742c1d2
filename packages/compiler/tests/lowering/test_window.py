"""What XLA:CPU computes for windows that select elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import bind
from treadle_ir.primitives.window import SelectAndGatherAdd

pytestmark = pytest.mark.xla


@pytest.mark.parametrize("padding", [((0, 0),), ((1, 2),)])
def test_what_windows_select_is_read_at_their_strides(compiled: Any, padding: Any) -> None:
    primitive = SelectAndGatherAdd((3,), (2,), padding, (1,), (1,), "ge")
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5], np.float32)
    tangents = np.arange(9, dtype=np.float32)
    (found,) = compiled(lambda *xs: bind(primitive, *xs), tangents, x)(tangents, x)
    np.testing.assert_array_equal(found, bind(primitive, tangents, x)[0])

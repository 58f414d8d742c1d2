"""Comparisons of what is not a number, also where XLA knows the sign of what is compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from treadle_ir import Operand, ops

pytestmark = pytest.mark.xla
NEVER_NEGATIVE: Final[dict[str, Callable[[Operand], Operand]]] = {
    "abs": ops.abs,
    "exp": ops.exponential,
    "maximum": lambda x: ops.maximum(x, ops.subtract(x, x)),
    "sqrt": ops.sqrt,
    "square": ops.square,
    "spread": lambda x: ops.broadcast_in_dim(ops.abs(x), shape=(2, 4), dimensions=(1,)),
}
NUMBERS: Final = (np.nan, 0.0, -0.0, 2.0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", NEVER_NEGATIVE)
def test_nan_is_not_at_least_zero(compiled: Any, name: str, dtype: type[np.floating[Any]]) -> None:
    """XLA makes `true` of such a comparison of a number that is not negative."""
    x = np.array(NUMBERS, dtype)
    function, zero = NEVER_NEGATIVE[name], dtype(0)

    def compared(x: Operand) -> list[Operand]:
        y = function(x)
        spread = ops.broadcast_in_dim(zero, shape=np.shape(y), dimensions=())
        greatest = ops.maximum(y, spread)
        return [
            ops.compare(y, spread, direction="ge"),
            ops.compare(spread, y, direction="le"),
            ops.compare(greatest, spread, direction="ge"),
        ]

    for found in compiled(compared, x)(x):
        np.testing.assert_array_equal(
            found, np.broadcast_to([False, True, True, True], found.shape)
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ordered_comparisons_are_numpys(compiled: Any, dtype: type[np.floating[Any]]) -> None:
    numbers = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0], dtype)
    x, y = (each.ravel() for each in np.meshgrid(numbers, numbers))
    run = compiled(lambda x, y: [ops.compare(x, y, direction=d) for d in ("ge", "le")], x, y)
    for found, expected in zip(run(x, y), (x >= y, x <= y), strict=True):
        np.testing.assert_array_equal(found, expected)

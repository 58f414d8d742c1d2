"""A pad that puts few elements far apart, which is lowered in its own way on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from treadle_ir import ops

# shape, axis, low, high, interior
FAR: list[tuple[tuple[int, ...], int, int, int, int]] = [
    ((300,), 0, 0, 0, 300),
    ((300,), 0, 3, 5, 300),
    ((1,), 0, 70_000, 2, 1),
    ((20, 30), 1, 1, 0, 200),
    ((30, 20), 0, 0, 4, 200),
    ((2, 30, 3), 1, 2, 1, 900),
]


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int8", "bool"])
@pytest.mark.parametrize(("shape", "axis", "low", "high", "interior"), FAR)
def test_few_elements_far_apart(
    compiled: Callable[..., Any],
    shape: Sequence[int],
    axis: int,
    low: int,
    high: int,
    interior: int,
    dtype: str,
) -> None:
    x = (np.arange(np.prod(shape)).reshape(shape) % 7).astype(dtype)
    value = np.dtype(dtype).type(1)
    length = low + shape[axis] + (shape[axis] - 1) * interior + high
    expected = np.full([length if i == axis else n for i, n in enumerate(shape)], value)
    places = [slice(None)] * len(shape)
    places[axis] = slice(low, length - high, interior + 1)
    expected[tuple(places)] = x

    def along(amount: int) -> list[int]:
        return [amount if i == axis else 0 for i in range(len(shape))]

    (found,) = compiled(
        lambda x, value: [
            ops.pad(x, value, low=along(low), high=along(high), interior=along(interior))
        ],
        x,
        value,
    )(x, value)
    np.testing.assert_array_equal(found, expected)

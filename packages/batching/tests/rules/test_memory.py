"""Batches of arrays in an order in memory: each batch element is in it."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import ArrayType, ops, stage


@pytest.mark.parametrize(
    ("dim", "expected"), [(0, (0, 2, 1)), (1, (1, 2, 0)), (2, (2, 1, 0)), (-1, (2, 1, 0))]
)
def test_the_batch_is_the_major_axis_in_memory(dim: int, expected: tuple[int, ...]) -> None:
    one = ArrayType((2, 3, 4), np.dtype(np.float32))
    f = vmap(lambda x: ops.layout_constraint(x, major_to_minor=(1, 0)), in_axes=dim, out_axes=dim)
    (equation,) = stage(lambda x: [f(x)], one).program.equations
    assert equation.primitive.major_to_minor == expected  # type: ignore[attr-defined]


def test_within_two_batches() -> None:
    one = ArrayType((5, 2, 3, 4), np.dtype(np.float32))
    f = vmap(vmap(lambda x: ops.layout_constraint(x, major_to_minor=(1, 0)), in_axes=2), in_axes=0)
    first, *_ = stage(lambda x: [f(x)], one).program.equations
    assert first.primitive.major_to_minor == (0, 3, 2, 1)  # type: ignore[attr-defined]

"""Columns set side by side on XLA:CPU are the reference's, whatever their type and number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_compiler import lower_program
from treadle_ir import ArrayType, Program, bind, stage
from treadle_ir.primitives.shape import Concatenate

pytestmark = pytest.mark.xla


@pytest.mark.parametrize("count", [2, 3, 8, 9])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "i4", "u1", "?", "f2"])
@pytest.mark.parametrize("outer", [(8200,), (82, 100)])
def test_columns(compiled: Any, count: int, dtype: Any, outer: tuple[int, ...]) -> None:
    drawn = np.random.default_rng(0)
    columns = [drawn.integers(0, 2, (*outer, 1)).astype(dtype) for _ in range(count)]
    join = Concatenate(dimension=len(outer))
    (found,) = compiled(lambda *xs: bind(join, *xs), *columns)(*columns)
    np.testing.assert_array_equal(found, np.concatenate(columns, -1))


def program(shape: tuple[int, ...], count: int, dimension: int) -> Program:
    types = [ArrayType(shape, np.dtype(np.float32))] * count
    return stage(lambda *xs: bind(Concatenate(dimension=dimension), *xs), *types).program


@pytest.mark.parametrize(
    ("shape", "count", "dimension"),
    [((9000, 1), 9, 1), ((100, 1), 2, 1), ((9000, 2), 2, 1), ((1, 9000), 2, 0)],
)
def test_all_else_is_joined(shape: tuple[int, ...], count: int, dimension: int) -> None:
    assert "concatenate" in lower_program(program(shape, count, dimension)).text
    assert "concatenate" not in lower_program(program((9000, 1), 2, 1)).text

"""Ranges of many numbers, which are counted by a program, are those that NumPy counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_numpy import lax


@pytest.mark.parametrize(
    "bounds",
    [(200_000,), (7, 600_000, 3), (10, -150_000, -1), (200_000.5,), (0.25, 50_000.0, 0.25)],
)
@pytest.mark.parametrize("dtype", [None, "int32", "float32", "uint8"])
def test_arange(bounds: tuple[Any, ...], dtype: str | None) -> None:
    options: Any = {} if dtype is None else {"dtype": dtype}
    found = np.asarray(tnp.arange(*bounds, **options))
    assert found.shape == np.arange(*bounds).shape
    if found.dtype.kind == "f":
        first, step = (0, 1) if len(bounds) == 1 else (bounds[0], (*bounds, 1)[2])
        counted = np.arange(len(found)).astype(found.dtype)
        expected = counted * found.dtype.type(step) + found.dtype.type(first)
    else:
        expected = np.arange(*bounds).astype(found.dtype)
    np.testing.assert_array_equal(found, expected)


def test_iota() -> None:
    for dtype in ("int32", "float32", "uint32"):
        np.testing.assert_array_equal(lax.iota(dtype, 200_000), np.arange(200_000, dtype=dtype))

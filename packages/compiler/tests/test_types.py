from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler.types import mlir_type
from treadle_ir import ArrayType, ShapeError

F32 = np.dtype("f4")


@pytest.mark.parametrize("shape", [((1 << 61) - 1,), (0, (1 << 61) - 1), (1 << 30, 1 << 30)])
def test_what_xla_takes(shape: tuple[int, ...]) -> None:
    assert mlir_type(ArrayType(shape, F32)).startswith("tensor<")


@pytest.mark.parametrize(
    "shape", [(1 << 61,), (0, 1 << 61), (1 << 40, 1 << 40), (1 << 40, 1 << 40, 0)]
)
def test_sizes_beyond_64_bits_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match="too large"):
        mlir_type(ArrayType(shape, F32))

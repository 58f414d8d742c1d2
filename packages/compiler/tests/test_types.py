from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler.types import device_dtype, mlir_type, scalar_text
from treadle_ir import ArrayType, ShapeError
from treadle_ir.core import dtypes

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


def test_what_devices_hold() -> None:
    assert device_dtype(dtypes.KEY) == np.uint64
    assert device_dtype(dtypes.float0) == np.bool_
    assert device_dtype(np.dtype(np.float32)) == np.float32
    assert mlir_type(ArrayType((2,), dtypes.KEY)) == "tensor<2xui64>"
    assert scalar_text(np.array([2**64 - 1], dtypes.KEY)[0]) == str(2**64 - 1)

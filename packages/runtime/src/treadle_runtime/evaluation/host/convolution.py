"""The convolution of one vector with another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.primitives.contract import Convolution
from treadle_runtime.evaluation.host.by_rule import Kernel, by_rule

_MOST_WINDOWS: Final = 1 << 18  # elements


def convolution(
    primitive: Convolution, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    """Return the kernel of one vector with another; None for arrays with more axes, and for windows with holes."""
    x_type, kernel_type = operands
    sizes = (x_type.size, kernel_type.size)
    if (
        len(primitive.padding) != 1
        or x_type.size != max(x_type.shape)
        or kernel_type.size != max(kernel_type.shape)
        or kernel_type.size != kernel_type.shape[primitive.rhs_spec[2]]
        or x_type.size != x_type.shape[primitive.lhs_spec[2]]
        or primitive.lhs_dilation != (1,)
        or primitive.rhs_dilation != (1,)
        or primitive.strides != (1,)
        or result.dtype.char not in "fd"
        or not x_type.dtype == kernel_type.dtype == result.dtype
    ):
        return None
    ((low, high),) = primitive.padding
    whole = low + sizes[0] + high
    count = whole - sizes[1] + 1
    if low < 0 or high < 0 or count < 1 or min(sizes) < 1:
        return None
    shape, dtype, step = result.shape, result.dtype, result.dtype.itemsize
    rule = by_rule(primitive)
    # NumPy's own loop is for up to 11 elements; beyond, it makes a product of each place, where one of a matrix is
    # faster as long as that is small.
    by_matrix = step == 4 and 11 < sizes[1] <= 64 and count * sizes[1] <= _MOST_WINDOWS

    def convolved(x: Any, kernel: Any) -> Any:
        padded, weights = np.zeros(whole, dtype), kernel.reshape(sizes[1])
        padded[low : low + sizes[0]] = x.reshape(sizes[0])
        square = float(np.dot(weights, weights))
        if square - square != 0 and whole > sizes[0]:
            return rule(x, kernel)  # an infinite weight is not multiplied by padding
        if not by_matrix:
            return np.correlate(padded, weights, "valid").reshape(shape)
        matrix = np.ndarray((count, sizes[1]), dtype, padded, 0, (step, step)).copy()
        return np.dot(matrix, weights[None].T).reshape(shape)

    return convolved

"""Kernels that the runtime prefers: how they are found, and how an operation calls them."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.primitives import elementwise as e, linear_algebra as la
from treadle_runtime.evaluation.host_kernels import host_kernel
from treadle_runtime.evaluation.operation import Operation
from treadle_runtime.placement.placement import BASE

MATRIX = ArrayType((2, 2), np.dtype(np.float32))


def test_a_primitive_without_one_has_none() -> None:
    assert host_kernel(e.Sine(), [MATRIX]) is None


def test_an_operation_calls_it_with_the_operands_alone() -> None:
    a = np.array([[4.0, 2.0], [2.0, 5.0]], np.float32)
    one = Operation(la.Cholesky(), [BASE.of(MATRIX)], BASE)
    assert one.bare is one.inline is not None
    np.testing.assert_array_equal(one.inline(a), one.kernel(one.primitive, a)[0])
    several = Operation(la.Lu(), [BASE.of(MATRIX)], BASE)
    assert several.bare is several.inline is None
    kernel = host_kernel(la.Lu(), [MATRIX])
    assert kernel is not None
    for x, y in zip(kernel(a), several.kernel(la.Lu(), a), strict=True):
        np.testing.assert_array_equal(x, y)

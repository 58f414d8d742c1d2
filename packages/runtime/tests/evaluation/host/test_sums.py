"""Sums of a few real numbers, as products with ones: as exact as NumPy's, and equal at zeros, infinities and NaN."""

import math

import numpy as np
import pytest

from treadle_ir import ArrayType
from treadle_ir.core import inferred
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_runtime.evaluation.host import numpy_kernel
from treadle_runtime.evaluation.host.numpy_kernels import MOST_ADDED


def summed(x, *axes):
    primitive, type = ReduceAdd(axes), ArrayType(x.shape, x.dtype)
    (result,), _ = inferred(primitive, (type,))
    kernel = numpy_kernel(primitive, [type], result)
    assert kernel is not None
    return np.asarray(kernel(x))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 7, 10, 100, MOST_ADDED, MOST_ADDED + 1])
def test_sums_are_exact_to_some_roundings(dtype, size):
    x = np.random.default_rng(0).standard_normal(size).astype(dtype)
    bound = 8 * np.finfo(dtype).eps * np.abs(x.astype(np.float64)).sum()
    assert abs(float(summed(x, 0)) - math.fsum(x.tolist())) <= bound


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_sums_of_rows_columns_and_all(order, axes):
    x = np.asarray(np.random.default_rng(0).standard_normal((5, 7)), order=order)
    found = summed(x, *axes)
    assert found.shape == np.sum(x, axis=axes).shape
    np.testing.assert_allclose(found, np.sum(x, axis=axes), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_what_is_not_finite_stays_where_it_is(axes):
    x = np.array([[1.0, np.inf, 2.0], [-np.inf, np.inf, np.nan], [-0.0, 0.0, -0.0]], np.float32)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(summed(x, *axes), np.sum(x, axis=axes))


def test_zeros_sum_to_a_positive_zero():
    for x in (np.zeros(3), -np.zeros(3), -np.zeros((2, 2))):
        assert not np.signbit(summed(x, *range(x.ndim)))


def test_others_are_numpys_sums():
    rng = np.random.default_rng(0)
    for shape, dtype, axes in (
        ((MOST_ADDED + 1,), np.float32, (0,)),
        ((0,), np.float32, (0,)),
        ((3,), np.int32, (0,)),
        ((3,), np.complex64, (0,)),
        ((3,), np.float32, ()),
        ((2, 2, 2), np.float32, (0, 1, 2)),
    ):
        x = (100 * rng.standard_normal(shape)).astype(dtype)
        np.testing.assert_array_equal(summed(x, *axes), np.add.reduce(x, axes))

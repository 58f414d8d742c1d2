"""Products of floats and booleans: a choice, with jit and without."""

from __future__ import annotations

import numpy as np
import pytest

import treadle.numpy as tnp
from treadle import grad, jit, vmap

X = np.array([np.nan, np.inf, -1.0, -np.inf], np.float32)
MASK = np.array([False, False, False, True])


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "complex64"])
def test_what_is_masked_is_zero(dtype: str) -> None:
    x, mask = tnp.asarray(X).astype(dtype), tnp.asarray(MASK)
    for product in (x * mask, mask * x, tnp.multiply(x, mask), jit(tnp.multiply)(x, mask)):
        assert product.dtype == x.dtype
        np.testing.assert_array_equal(product, np.where(MASK, np.asarray(x), 0))
        assert not np.signbit(np.asarray(product).astype(complex).real[:3]).any()


def test_shapes_and_weak_types() -> None:
    mask = tnp.asarray(MASK)
    np.testing.assert_array_equal(tnp.inf * mask, [0, 0, 0, np.inf])
    assert (2.0 * mask).weak_type
    assert (tnp.ones((3, 1)) * mask).shape == (3, 4)
    assert float(tnp.asarray(X)[1] * mask[0]) == 0.0
    assert (tnp.ones((0, 4)) * mask).shape == (0, 4)


def test_derivatives_and_batches() -> None:
    mask = tnp.asarray(MASK)
    np.testing.assert_array_equal(grad(lambda x: (x * mask).sum())(tnp.asarray(X)), MASK)
    np.testing.assert_array_equal(vmap(tnp.multiply)(X, mask), tnp.asarray(X) * mask)


def test_other_products_stay_products() -> None:
    mask = tnp.asarray(MASK)
    assert np.isnan(tnp.asarray(X) * False).sum() == 3  # a Python number, as 0.0 is
    assert (mask * np.arange(4)).tolist() == [0, 0, 0, 3]
    assert (mask * mask).dtype == np.bool_

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import ArgumentError, ShapeError
from treadle_numpy import lax

DRAW = np.random.default_rng(0)
X, Y = DRAW.normal(size=(2, 8)).astype("f4"), DRAW.normal(size=(8, 3)).astype("f4")
XS, YS = DRAW.uniform(0.5, 2, (2, 2)).astype("f4"), DRAW.uniform(0.5, 2, (4, 3)).astype("f4")


@pytest.mark.parametrize("left", [None, XS])
@pytest.mark.parametrize("right", [None, YS])
def test_products_of_scaled_blocks(left: Any, right: Any, staged: Any) -> None:
    x = X if left is None else X * np.repeat(left, 4, 1)
    y = Y if right is None else Y * np.repeat(right, 2, 0)

    def scaled(x: Any, y: Any) -> Any:
        return lax.scaled_dot(
            x, y, lhs_scale=left, rhs_scale=right, preferred_element_type="float32"
        )

    np.testing.assert_allclose(scaled(X, Y), x @ y, rtol=1e-5)
    np.testing.assert_allclose(staged(scaled, X, Y), x @ y, rtol=1e-5)


def test_batches_and_other_axes() -> None:
    x, y = DRAW.normal(size=(4, 2, 8)).astype("f4"), DRAW.normal(size=(4, 8, 3)).astype("f4")
    scale = DRAW.uniform(0.5, 2, (4, 2, 1)).astype("f4")
    found = lax.scaled_dot(x, y, lhs_scale=scale, preferred_element_type="float32")
    np.testing.assert_allclose(found, (x * scale) @ y, rtol=1e-4, atol=1e-5)
    turned = lax.scaled_dot(
        X, Y.T, dimension_numbers=(((1,), (1,)), ((), ())), preferred_element_type="float32"
    )
    np.testing.assert_allclose(turned, X @ Y, rtol=1e-5)


def test_small_types_and_the_type_of_the_result() -> None:
    scale = np.array([[2.0, 0.5], [1.0, 4.0]], ml_dtypes.float8_e8m0fnu)
    x = X.astype(ml_dtypes.float4_e2m1fn)
    found = lax.scaled_dot(x, Y, lhs_scale=scale)
    assert found.dtype == ml_dtypes.bfloat16
    wide = x.astype("f4") * np.repeat(scale.astype("f4"), 4, 1)
    np.testing.assert_allclose(np.asarray(found).astype("f4"), wide @ Y, rtol=2**-8)


def test_derivative() -> None:
    slope = grad(
        lambda x: lax.scaled_dot(x, Y, lhs_scale=XS, preferred_element_type="float32").sum()
    )(X)
    np.testing.assert_allclose(slope, np.repeat(XS, 4, 1) * Y.sum(1), rtol=1e-5)


def test_mistakes() -> None:
    with pytest.raises(ShapeError, match="must divide"):
        lax.scaled_dot(X, Y, lhs_scale=np.ones((2, 3), "f4"))
    with pytest.raises(ShapeError, match="axis 0 of size 2"):
        lax.scaled_dot(X, Y, lhs_scale=np.ones((1, 2), "f4"))
    with pytest.raises(ShapeError, match="same rank"):
        lax.scaled_dot(X, Y, rhs_scale=np.ones(3, "f4"))
    with pytest.raises(ArgumentError, match="two matrices"):
        lax.scaled_dot(X, Y[0])

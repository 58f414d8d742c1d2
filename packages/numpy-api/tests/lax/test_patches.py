"""Patches against loops, and what convolutions are in terms of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ShapeError
from treadle_numpy.lax import (
    conv_general_dilated,
    conv_general_dilated_local,
    conv_general_dilated_patches,
)

RANDOM = np.random.default_rng(9)
X = RANDOM.normal(size=(2, 5, 6, 3)).astype(np.float32)
SETTINGS: list[dict[str, Any]] = [
    {"window_strides": (1, 1), "padding": "VALID"},
    {"window_strides": (2, 1), "padding": "SAME"},
    {"window_strides": (1, 2), "padding": [(1, 0), (-1, 2)]},
    {"window_strides": (1, 1), "padding": "VALID", "rhs_dilation": (2, 1)},
    {"window_strides": (2, 2), "padding": "SAME", "lhs_dilation": (2, 3)},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(
    "numbers", [("NHWC", "HWIO", "NHWC"), ("NHWC", "WOHI", "CHNW"), ("NWHC", "OIHW", "NCHW")]
)
def test_a_convolution_is_a_product_of_patches(settings: Any, numbers: Any) -> None:
    spatial = [c for c in numbers[1] if c not in "OI"]
    window = {"H": 2, "W": 3}
    shape = {**window, "I": 3, "O": 4}
    kernel = RANDOM.normal(size=[shape[c] for c in numbers[1]]).astype(np.float32)
    whole = conv_general_dilated(X, kernel, dimension_numbers=numbers, **settings)
    patches = conv_general_dilated_patches(
        X, [window[c] for c in spatial], dimension_numbers=numbers, **settings
    )
    weights = kernel.transpose([numbers[1].index(c) for c in ("I", *spatial, "O")]).reshape(18, 4)
    feature = numbers[2].index("C")
    product = np.moveaxis(np.asarray(patches), feature, -1) @ weights
    np.testing.assert_allclose(np.moveaxis(product, -1, feature), whole, rtol=1e-4, atol=1e-4)
    count = 1
    for letter in spatial:
        count *= np.asarray(whole).shape[numbers[2].index(letter)]
    kernels = np.broadcast_to(weights, (count, 18, 4))
    sizes = [whole.shape[numbers[2].index(c)] for c in spatial]
    kernels = kernels.reshape(*sizes, 18, 4)
    order = [[*spatial, "I", "O"].index(c) for c in numbers[1]]
    local = conv_general_dilated_local(
        X,
        np.ascontiguousarray(kernels.transpose(order)),
        filter_shape=[window[c] for c in spatial],
        dimension_numbers=numbers,
        **settings,
    )
    np.testing.assert_allclose(local, whole, rtol=1e-4, atol=1e-4)


def test_each_place_has_a_kernel_of_its_own() -> None:
    x = RANDOM.normal(size=(1, 2, 5)).astype(np.float32)
    kernels = RANDOM.normal(size=(3, 4, 4)).astype(np.float32)  # features, weights, places
    found = np.asarray(conv_general_dilated_local(x, kernels, (1,), "VALID", (2,)))
    for place in range(4):
        seen = x[0, :, place : place + 2].ravel()
        np.testing.assert_allclose(found[0, :, place], kernels[:, :, place] @ seen, rtol=1e-4)


def test_order_element_types_and_infinities() -> None:
    x = np.arange(12).reshape(1, 2, 2, 3)
    found = conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID")
    assert np.asarray(found)[0, :, 0, 0].tolist() == [0, 1, 3, 4, 6, 7, 9, 10]
    assert found.dtype == np.int32
    infinite = conv_general_dilated_patches(np.full((1, 1, 3), np.inf), (2,), (1,), "VALID")
    assert np.isinf(np.asarray(infinite)).all()
    wide = conv_general_dilated_patches(
        x, (1, 1), (1, 1), "VALID", preferred_element_type=np.float32
    )
    assert wide.dtype == np.float32


def test_no_place() -> None:
    x = np.ones((1, 1, 2), np.float32)
    assert conv_general_dilated_patches(x, (3,), (1,), "VALID").shape == (1, 3, 0)


def test_errors() -> None:
    with pytest.raises(ShapeError, match="one positive number for each of the 2 spatial axes"):
        conv_general_dilated_patches(X, (2,), (1, 1), "VALID")
    with pytest.raises(ShapeError, match="padding has 1 pairs for 2 spatial axes"):
        conv_general_dilated_patches(X, (2, 2), (1, 1), [(0, 0)])
    with pytest.raises(ShapeError, match="must have 20 weights for each of the places"):
        conv_general_dilated_local(X, np.ones((1, 20, 3, 3), np.float32), (1, 1), "VALID", (2, 2))


@pytest.mark.parametrize("which", ["lhs_dilation", "rhs_dilation"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_dilations_that_no_memory_holds(which: str, padding: str) -> None:
    x, kernel = np.ones((1, 1, 4, 4), np.float32), np.ones((1, 1, 2, 2), np.float32)
    with pytest.raises(ShapeError, match="too large"):
        conv_general_dilated(x, kernel, (1, 1), padding, **{which: (2**40, 2**40)})

"""conv_transpose against a loop that adds each element's copy of the kernel."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.lax import conv_general_dilated, conv_transpose

RANDOM = np.random.default_rng(7)


def spread(x: Any, kernel: Any, stride: int, hole: int) -> Any:
    """Add up by a loop: position i adds x_i times the mirrored kernel from i s on; [n, c] and [k, c, d]."""
    n, k = len(x), len(kernel)
    full = np.zeros(((n - 1) * stride + (k - 1) * hole + 1, kernel.shape[2]))
    for i, j in itertools.product(range(n), range(k)):
        full[i * stride + (k - 1 - j) * hole] += x[i] @ kernel[j]
    return full


@pytest.mark.parametrize(
    ("k", "stride", "hole"), [(1, 1, 1), (3, 2, 1), (2, 3, 1), (3, 2, 2), (4, 1, 1)]
)
def test_values(k: int, stride: int, hole: int) -> None:
    x, kernel = RANDOM.normal(size=(5, 2)), RANDOM.normal(size=(k, 2, 3))
    full = spread(x, kernel, stride, hole)
    extent = (k - 1) * hole + 1
    pads = [(extent - 1, extent - 1)]
    found = conv_transpose(x[None], kernel, (stride,), pads, (hole,))
    np.testing.assert_allclose(np.asarray(found)[0], full, rtol=1e-4, atol=1e-5)
    consistent = conv_transpose(
        x[None], kernel, (stride,), [(0, 0)], (hole,), use_consistent_padding=True
    )
    np.testing.assert_array_equal(consistent, found)
    same = np.asarray(conv_transpose(x[None], kernel, (stride,), "SAME", (hole,)))[0]
    assert len(same) == 5 * stride
    valid = np.asarray(conv_transpose(x[None], kernel, (stride,), "VALID", (hole,)))[0]
    assert len(valid) == 5 * stride + max(extent - stride, 0)
    np.testing.assert_allclose(valid[: len(full)], full, rtol=1e-4, atol=1e-5)
    assert not valid[len(full) :].any()


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_transposed_kernel_is_the_transpose(padding: str) -> None:
    """<conv(u), v> = <u, conv_transpose(v)> where the sizes are multiples of the strides."""
    numbers = ("NHWC", "HWIO", "NHWC")
    kernel = RANDOM.normal(size=(3, 2, 2, 4))
    u = RANDOM.normal(size=(2, 6, 4, 2)) if padding == "SAME" else RANDOM.normal(size=(2, 7, 4, 2))
    v_shape = conv_general_dilated(u, kernel, (2, 2), padding, dimension_numbers=numbers).shape
    v = RANDOM.normal(size=v_shape)
    left = np.vdot(conv_general_dilated(u, kernel, (2, 2), padding, dimension_numbers=numbers), v)
    back = conv_transpose(v, kernel, (2, 2), padding, transpose_kernel=True)
    assert back.shape == u.shape
    np.testing.assert_allclose(left, np.vdot(u, back), rtol=1e-4)


def test_without_spatial_axes() -> None:
    x, kernel = RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(3, 4))
    np.testing.assert_allclose(
        conv_transpose(x, kernel, (), "SAME"), x @ kernel, rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x, k: conv_transpose(x, k, (1,), "FULL"), ArgumentError, "padding is 'FULL'"),
        (lambda x, k: conv_transpose(x, k, (1, 1), "SAME"), ArgumentError, "each of the 1 spatial"),
        (lambda x, k: conv_transpose(x, k, (1,), []), ArgumentError, "0 pairs for 1 spatial"),
        (lambda x, k: conv_transpose(x, k[0], (1,), "SAME"), ShapeError, "equally many axes"),
        (
            lambda x, k: conv_transpose(np.ones((1,) * 6), np.ones((1,) * 6), (1,) * 4, "SAME"),
            ArgumentError,
            "no dimension_numbers by default for 4 spatial axes",
        ),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(np.ones((1, 5, 2), np.float32), np.ones((3, 2, 3), np.float32))

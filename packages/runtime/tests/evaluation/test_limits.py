"""Which operations are small enough for NumPy: by their elements, and convolutions by their products, too."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import Array, ArrayType, ops, stage
from treadle_runtime import from_host
from treadle_runtime.evaluation.limits import MOST_PRODUCTS, is_small

F32 = np.dtype(np.float32)


def slid(x: Array, kernel: Array, groups: int = 1) -> Array:
    size = kernel.shape[2]
    return ops.convolution(
        x,
        kernel,
        padding=((size - 1, size - 1),),
        lhs_spec=(0, 1, 2),
        rhs_spec=(0, 1, 2),
        out_spec=(0, 1, 2),
        feature_group_count=groups,
    )


@pytest.mark.parametrize(
    ("x", "kernel", "groups", "small"),
    [
        ((1, 1, 100), (1, 1, 10), 1, True),
        ((1, 1, 100_000), (1, 1, 50), 1, True),
        ((1, 1, 100_000), (1, 1, 500), 1, False),  # of 200 MB of windows
        ((1, 1, 60_000), (1, 1, 60_000), 1, False),  # of 29 GB
        ((1, 64, 64), (64, 1, 64), 64, True),
        ((2, 64, 256), (64, 64, 16), 1, False),
        ((1, 1, 9), (0, 1, 3), 1, True),
    ],
)
def test_convolutions_by_their_products(
    x: tuple[int, ...], kernel: tuple[int, ...], groups: int, small: bool
) -> None:
    types = ArrayType(x, F32), ArrayType(kernel, F32)
    program = stage(lambda a, b: [slid(a, b, groups)], *types).program
    (equation,) = program.equations
    result = equation.results[0].type
    assert isinstance(result, ArrayType)
    assert is_small(equation.primitive, (*types, result)) is small
    products = result.size * (types[1].size // kernel[0] if kernel[0] else 0)
    assert (products <= MOST_PRODUCTS) is small


def test_what_is_compiled_has_the_same_sums() -> None:
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=20_000), draw.normal(size=600)
    one, other = [from_host(each.astype(F32).reshape(1, 1, -1)) for each in (x, y[::-1])]
    found = slid(one, other)
    np.testing.assert_allclose(np.asarray(found).ravel(), np.convolve(x, y), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "axes", "small"),
    [
        ((10_000, 10), (0, 1), True),  # one run through the memory
        ((10_000, 10), (1,), False),  # a loop for each of 10,000 rows
        ((4, 10_000), (1,), True),
        ((4, 3, 10), (0,), True),
    ],
)
def test_reductions_by_their_rows(
    shape: tuple[int, ...], axes: tuple[int, ...], small: bool
) -> None:
    type = ArrayType(shape, F32)
    (equation,) = stage(lambda x: [ops.reduce_add(x, axes=axes)], type).program.equations
    result = equation.results[0].type
    assert is_small(equation.primitive, (type, result)) is small

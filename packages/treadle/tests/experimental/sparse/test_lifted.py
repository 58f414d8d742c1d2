"""Gathers and convolutions of sparse arrays against dense ones."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, ShapeError, UnsupportedError
from treadle.experimental import sparse
from treadle.experimental.sparse import BCOO

DRAW = np.random.default_rng(0)


def drawn(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.where(DRAW.random(shape) < 0.5, DRAW.normal(size=shape), 0).astype(np.float32)


C = drawn(3, 4, 5)
LAYOUTS = [(b, d) for b in range(4) for d in range(4) if b + d <= 3]
GATHERS: Any = [
    (lax.GatherDimensionNumbers((0, 1, 2), (), (0, 1, 2)), (2, 2, 2), [1, 9, -4]),
    (lax.GatherDimensionNumbers((1, 2), (0,), (0,)), (1, 4, 5), [[1], [2], [7], [0]]),
    (lax.GatherDimensionNumbers((0, 2), (1,), (1,)), (3, 1, 5), [[1], [3]]),
    (lax.GatherDimensionNumbers((2,), (0, 2), (2, 0)), (1, 3, 1), [[[4, 2], [1, 0]]]),
    (
        lax.GatherDimensionNumbers((1,), (2,), (1, 2), (0,), (0,)),
        (1, 2, 1),
        [[1, 2], [9, 0], [2, 4]],
    ),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", range(len(GATHERS)))
@pytest.mark.parametrize("options", [{"mode": "clip"}, {"fill_value": 0}])
def test_slices_are_those_of_the_dense_array(
    layout: tuple[int, int], case: int, options: Any
) -> None:
    numbers, sizes, places = GATHERS[case]
    x = BCOO.fromdense(C, n_batch=layout[0], n_dense=layout[1])
    expected = lax.gather(C, np.array(places), numbers, sizes, **options)
    found = sparse.bcoo_gather(x, np.array(places), numbers, sizes, **options)
    np.testing.assert_array_equal(found.todense(), expected)
    compiled = treadle.jit(lambda x, i: sparse.bcoo_gather(x, i, numbers, sizes, **options))
    np.testing.assert_array_equal(compiled(x, np.array(places)).todense(), expected)


def test_what_is_outside_must_be_zero_or_known_to_be_absent() -> None:
    numbers, sizes, _ = GATHERS[1]
    x = BCOO.fromdense(C)
    inside = sparse.bcoo_gather(x, tnp.array([[2], [1]]), numbers, sizes)
    np.testing.assert_array_equal(inside.todense(), C[[2, 1]])
    with pytest.raises(UnsupportedError, match="fill_value=0"):
        sparse.bcoo_gather(x, tnp.array([[3]]), numbers, sizes)
    with pytest.raises(UnsupportedError, match="fill_value=0"):
        treadle.jit(lambda i: sparse.bcoo_gather(x, i, numbers, sizes))(tnp.array([[0]]))
    with pytest.raises(ArgumentError, match="a BCOO"):
        sparse.bcoo_gather(C, tnp.array([[0]]), numbers, sizes)  # type: ignore[arg-type]  # dense


def test_slices_are_differentiated() -> None:
    i = tnp.array([2, 0, 2])
    f: Any = lambda x: tnp.sum(x[i].todense() ** 2)  # noqa: E731
    slope = sparse.grad(f)(BCOO.fromdense(C, n_batch=1))
    expected = treadle.grad(lambda c: tnp.sum(c[i] ** 2))(C)
    np.testing.assert_allclose(slope.todense(), np.where(C != 0, expected, 0), rtol=1e-6)


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    rank = draw(st.integers(0, 2))
    groups, batches = draw(st.sampled_from([(1, 1), (2, 1), (1, 2)]))
    size = st.integers(1, 4)
    inputs = draw(size)
    x = drawn(
        batches * draw(size), groups * inputs, *(draw(st.integers(1, 7)) for _ in range(rank))
    )
    kernel = drawn(groups * batches * draw(size), inputs, *(draw(size) for _ in range(rank)))
    each: Any = lambda elements: tuple(draw(elements) for _ in range(rank))  # noqa: E731
    options = {
        "window_strides": each(st.integers(1, 3)),
        "padding": each(st.tuples(st.integers(0, 3), st.integers(0, 3))),
        "lhs_dilation": each(st.integers(1, 3)),
        "rhs_dilation": each(st.integers(1, 3)),
        "feature_group_count": groups,
        "batch_group_count": batches,
    }
    return x, kernel, options


@given(case=convolutions(), batch=st.integers(0, 2))
@settings(max_examples=30, deadline=None)
def test_convolutions_are_those_of_dense_arrays(case: Any, batch: int) -> None:
    x, kernel, options = case
    expected = lax.conv_general_dilated(x, kernel, **options)
    mats = BCOO.fromdense(x, n_batch=batch), BCOO.fromdense(kernel)
    for operands in (mats, (mats[0], kernel), (x, mats[1])):
        found = sparse.bcoo_conv_general_dilated(*operands, **options)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.todense(), expected, rtol=1e-4, atol=1e-5)


def test_dimension_numbers_assign_the_axes() -> None:
    x, kernel = drawn(2, 6, 5, 3), drawn(2, 3, 3, 4)
    options: Any = {"window_strides": (1, 2), "dimension_numbers": ("NHWC", "HWIO", "NHWC")}
    for padding in ("SAME", "VALID"):
        expected = lax.conv_general_dilated(x, kernel, padding=padding, **options)
        mats = BCOO.fromdense(x, n_dense=1), BCOO.fromdense(kernel, n_dense=1)
        found = sparse.bcoo_conv_general_dilated(*mats, padding=padding, **options)
        np.testing.assert_allclose(found.todense(), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(ShapeError, match="features"):
        sparse.bcoo_conv_general_dilated(
            BCOO.fromdense(x), kernel, window_strides=(1, 1), padding="SAME"
        )

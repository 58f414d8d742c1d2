"""Products of groups against a loop over rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError, UnsupportedError
from treadle_numpy.lax import RaggedDotDimensionNumbers, ragged_dot, ragged_dot_general

RANDOM = np.random.default_rng(8)
X, MATRICES = RANDOM.normal(size=(6, 3)).astype("f"), RANDOM.normal(size=(4, 3, 2)).astype("f")


def groups(sizes: Any, rows: int) -> list[int]:
    """The number of each row's group; -1 after the last."""
    found = [g for g, n in enumerate(sizes) for _ in range(n)]
    return (found + [-1] * rows)[:rows]


@pytest.mark.parametrize(
    "sizes", [(1, 2, 0, 3), (0, 0, 0, 0), (2, 1, 1, 0), (6, 0, 0, 0), (0, 0, 5, 7)]
)
def test_rows_times_their_matrix(sizes: Any, staged: Any) -> None:
    expected = [
        x @ MATRICES[g] if g >= 0 else np.zeros(2) for x, g in zip(X, groups(sizes, 6), strict=True)
    ]
    vector = np.array(sizes, np.int32)
    np.testing.assert_allclose(ragged_dot(X, MATRICES, vector), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        staged(ragged_dot, X, MATRICES, vector), expected, rtol=1e-4, atol=1e-5
    )


def test_batches_with_sizes_of_their_own() -> None:
    x, y = (
        RANDOM.normal(size=(2, 5, 3)),
        RANDOM.normal(size=(3, 2, 2, 3)),
    )  # [b, m, k], [g, n, b, k]
    sizes = np.array([[1, 3, 1], [2, 0, 1]])
    numbers = RaggedDotDimensionNumbers((((2,), (3,)), ((0,), (2,))), (1,), (0,))
    found = np.asarray(ragged_dot_general(x, y, sizes, numbers))
    for b in range(2):
        for m, g in enumerate(groups(sizes[b], 5)):
            expected = y[g, :, b] @ x[b, m] if g >= 0 else np.zeros(2)
            np.testing.assert_allclose(found[b, m], expected, rtol=1e-4, atol=1e-5)


def test_sums_over_each_group() -> None:
    x, y = RANDOM.normal(size=(2, 5, 3)), RANDOM.normal(size=(5, 2, 4))  # [b, k, m], [k, b, n]
    sizes = np.array([[1, 3], [2, 2]])
    numbers = RaggedDotDimensionNumbers((((1,), (0,)), ((0,), (1,))), (1,), ())
    found = np.asarray(ragged_dot_general(x, y, sizes, numbers))
    expected = np.zeros((2, 2, 3, 4))
    for b in range(2):
        for k, g in enumerate(groups(sizes[b], 5)):
            if g >= 0:
                expected[g, b] += np.outer(x[b, k], y[k, b])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_groups_of_a_batch() -> None:
    x, y = RANDOM.normal(size=(4, 2, 3)), RANDOM.normal(size=(4, 3, 2))
    numbers = RaggedDotDimensionNumbers((((2,), (1,)), ((0,), (0,))), (0,), ())
    found = np.asarray(ragged_dot_general(x, y, np.array([1, 2]), numbers))
    np.testing.assert_allclose(found[:3], (x @ y)[:3], rtol=1e-4, atol=1e-5)
    assert not found[3].any()


def test_element_types() -> None:
    sizes = np.array([1, 2, 0, 3])
    half = ragged_dot(X.astype(np.float16), MATRICES.astype(np.float16), sizes)
    assert half.dtype == np.float16
    wide = ragged_dot(
        X.astype(np.float16),
        MATRICES.astype(np.float16),
        sizes,
        preferred_element_type=np.float32,
    )
    assert wide.dtype == np.float32
    narrow = ragged_dot(X, MATRICES, sizes, preferred_element_type=np.float16)
    assert narrow.dtype == np.float16


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s: ragged_dot(X, X, s), ShapeError, r"are \(m, k\) and \(g, k, n\)"),
        (lambda s: ragged_dot(X, MATRICES, s[:3]), ShapeError, "rhs has 4 groups, but there are 3"),
        (lambda s: ragged_dot(X, MATRICES, s * 1.0), DTypeError, "must be integers, got float"),
        (lambda s: ragged_dot(X, MATRICES, s[None]), ShapeError, "must be a vector or have"),
        (lambda s: ragged_dot(X, MATRICES, s, group_offset=s), UnsupportedError, "group_offset"),
        (
            lambda s: ragged_dot_general(X, X, s, None),  # type: ignore[arg-type]  # no numbers
            ArgumentError,
            "RaggedDotDimensionNumbers",
        ),
        (
            lambda s: ragged_dot_general(
                X, X, s, RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (), ())
            ),
            ArgumentError,
            "lhs_ragged_dimensions must be one axis",
        ),
        (
            lambda s: ragged_dot_general(
                X, X, s, RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), (0,))
            ),
            ArgumentError,
            "only where the ragged axis is free",
        ),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(np.array([1, 2, 0, 3]))

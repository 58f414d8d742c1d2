from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy.numpy.linalg as linalg
from treadle_autodiff import jvp
from treadle_ir import ArgumentError, ArrayType, DTypeError, ShapeError, stage
from treadle_numpy import numpy as tnp

TALL = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 7.0]])
DEFICIENT = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])


@pytest.fixture(autouse=True)
def _wide(wide: None) -> None:
    """In 64 bits."""


@pytest.mark.parametrize("a", [TALL, TALL.T, DEFICIENT, DEFICIENT.T])
def test_pseudo_inverses_satisfy_penroses_equations(a: np.ndarray) -> None:
    p = np.asarray(linalg.pinv(a))
    for left, right in ((a @ p @ a, a), (p @ a @ p, p), (a @ p, (a @ p).T), (p @ a, (p @ a).T)):
        np.testing.assert_allclose(left, right, atol=1e-12)


@pytest.mark.parametrize("a", [TALL, TALL.T, DEFICIENT])
def test_least_squares_agree_with_numpy(a: np.ndarray) -> None:
    b = np.arange(1.0, 1 + a.shape[0])
    x, _, rank, values = linalg.lstsq(a, b)
    expected, _, true_rank, true_values = np.linalg.lstsq(a, b)
    np.testing.assert_allclose(x, expected, atol=1e-12)
    np.testing.assert_allclose(values, true_values, atol=1e-12)
    assert int(rank) == true_rank


@pytest.mark.parametrize("kind", [float, complex])
def test_one_decomposition_has_solutions_and_singular_values_and_their_derivatives(
    kind: type,
) -> None:
    rng = np.random.default_rng(3)
    a: np.ndarray = rng.normal(size=(4, 3))
    da: np.ndarray = rng.normal(size=(4, 3))
    if kind is complex:
        a, da = a + 1j * da, da - 2j * a
    b: np.ndarray = np.arange(4.0).astype(a.dtype)
    program = stage(lambda x: linalg.lstsq(x, b), ArrayType(a.shape, a.dtype)).program
    assert str(program).count("svd") == 1

    def values(x: np.ndarray) -> np.ndarray:
        return np.linalg.svd(x, compute_uv=False)

    (x, *_, s), (dx, *_, ds) = jvp(lambda x: linalg.lstsq(x, b), (a,), (da,))
    np.testing.assert_allclose(x, np.linalg.lstsq(a, b)[0], atol=1e-12)
    np.testing.assert_allclose(s, values(a), atol=1e-12)
    step = 1e-6
    ends = [np.linalg.lstsq(a + t * da, b)[0] for t in (step, -step)]
    np.testing.assert_allclose(dx, (ends[0] - ends[1]) / (2 * step), atol=1e-7)
    ends = [values(a + t * da) for t in (step, -step)]
    np.testing.assert_allclose(ds, (ends[0] - ends[1]) / (2 * step), atol=1e-7)


def test_ranks_by_relative_and_absolute_limits() -> None:
    a = np.diag([4.0, 2.0, 1.0])
    assert int(linalg.matrix_rank(a)) == 3
    assert int(linalg.matrix_rank(a, 0.3)) == 2
    assert int(linalg.matrix_rank(a, tol=3.0)) == 1
    assert int(linalg.matrix_rank(np.zeros(3))) == 0
    with pytest.raises(ArgumentError, match="only one of tol or rtol"):
        linalg.matrix_rank(a, 0.3, tol=3.0)


def test_condition_numbers_agree_with_numpy() -> None:
    a = np.array([[4.0, 1.0], [2.0, -3.0]])
    for p in (None, 1, -1, 2, -2, "fro", "nuc", np.inf):
        np.testing.assert_allclose(linalg.cond(a, p), np.linalg.cond(a, p), rtol=1e-12)


@pytest.mark.parametrize("p", [None, 2, -2, 1, "fro"])
def test_condition_numbers_of_matrices_without_nan_are_not_nan(p: Any) -> None:
    a = np.stack([np.zeros((2, 2)), np.eye(2)])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(linalg.cond(a, p), np.linalg.cond(a, p))
    assert np.isnan(np.asarray(linalg.cond(np.full((2, 2), np.nan), p)))


def test_least_squares_of_zeros_has_the_least_solution() -> None:
    zeros = np.zeros((3, 2), np.float32)
    solution, _, rank, values = linalg.lstsq(zeros, np.ones(3, np.float32))
    np.testing.assert_array_equal(solution, [0, 0])
    assert int(rank) == 0
    np.testing.assert_array_equal(values, [0, 0])


def test_limits_of_a_batch() -> None:
    limits = np.array([0.0, 0.5, 1.0])
    each = [np.asarray(linalg.pinv(TALL, limit)) for limit in limits]
    np.testing.assert_allclose(linalg.pinv(TALL, limits), each, atol=1e-12)
    with pytest.raises(ShapeError, match="pinv"):
        linalg.pinv(np.stack([TALL, TALL]), limits)


def test_a_limit_that_is_no_number_is_refused_of_vectors_too() -> None:
    for a in (TALL, TALL[0]):
        with pytest.raises(ArgumentError, match="matrix_rank"):
            linalg.matrix_rank(a, "x")  # type: ignore[arg-type]


@pytest.mark.parametrize("direction", [[[1.0, 2.0], [2.0, -1.0]], [[1.0, 5.0], [0.0, -1.0]]])
def test_hermitian_pseudo_inverses_have_derivatives_along_any_direction(
    direction: list[list[float]],
) -> None:
    a, da = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array(direction)
    _, dp = jvp(lambda a: linalg.pinv(a, hermitian=True), (a,), (da,))
    p = np.linalg.inv(a)
    np.testing.assert_allclose(dp, -p @ (da + da.T) / 2 @ p, atol=1e-12)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_narrow_floats_are_refused_by_name(dtype: str) -> None:
    a = tnp.ones((3, 3), dtype)
    for call in (lambda: linalg.pinv(a), lambda: linalg.lstsq(a, a[0]), lambda: linalg.cond(a)):
        with pytest.raises(DTypeError, match="takes f32, f64, c64, c128"):
            call()

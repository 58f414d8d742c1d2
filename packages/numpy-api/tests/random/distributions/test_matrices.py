"""Correlated normal vectors and orthogonal matrices: recorded from JAX 0.10.2, laws, shapes, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy import random

KEY = np.array([0, 0], np.uint32)  # PRNGKey(0)
COV = np.array([[2.0, 0.5], [0.5, 1.0]], np.float32)


def test_recorded() -> None:
    np.testing.assert_allclose(
        random.multivariate_normal(KEY, np.zeros(2), COV, (1,))[0],
        [2.2947626, 2.4681523],
        rtol=1e-5,
    )
    np.testing.assert_allclose(
        random.orthogonal(KEY, 2), [[0.96610296, 0.25815725], [-0.25815725, 0.9661029]], rtol=1e-5
    )


@pytest.mark.parametrize("method", ["cholesky", "eigh", "svd"])
def test_covariance(method: str) -> None:
    mean = np.array([3.0, -1.0], np.float32)
    drawn = random.multivariate_normal(KEY, mean, COV, (4000,), method=method)
    numbers = np.asarray(drawn).astype(np.float64)
    # the deviation of a mean is 0.022 at most, of a covariance 0.045
    np.testing.assert_allclose(numbers.mean(0), mean, atol=0.09)
    np.testing.assert_allclose(np.cov(numbers.T), COV, atol=0.18)


def test_covariances_of_lower_rank() -> None:
    flat = np.ones((2, 2), np.float32)
    for method in ("eigh", "svd"):
        drawn = np.asarray(random.multivariate_normal(KEY, np.zeros(2), flat, (9,), method=method))
        np.testing.assert_allclose(drawn[:, 0], drawn[:, 1], atol=1e-3)
    assert np.isnan(random.multivariate_normal(KEY, np.zeros(2), -COV)).any()


def test_shapes_of_normal_vectors() -> None:
    many = np.stack([COV, 2 * COV])
    assert random.multivariate_normal(KEY, np.zeros(2), many).shape == (2, 2)
    assert random.multivariate_normal(KEY, np.zeros((3, 1, 2)), many).shape == (3, 2, 2)
    assert random.multivariate_normal(KEY, np.zeros(2), COV, (0,)).shape == (0, 2)
    for mean, cov, shape in (
        (np.zeros(3), COV, None),
        (0.0, COV, None),
        (np.zeros((2, 2)), COV, (3,)),
    ):
        with pytest.raises(ShapeError):
            random.multivariate_normal(KEY, mean, cov, shape)
    with pytest.raises(ArgumentError, match="cholesky, eigh, svd"):
        random.multivariate_normal(KEY, np.zeros(2), COV, method="lu")


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        ({"n": 3}, (3, 3)),
        ({"n": 2, "m": 4}, (2, 4)),
        ({"n": 4, "m": 2, "shape": (3,)}, (3, 4, 2)),
        ({"n": 0}, (0, 0)),
        ({"n": 3, "dtype": "complex64"}, (3, 3)),
        ({"n": 3, "dtype": "float16"}, (3, 3)),
    ],
)
def test_orthogonal(arguments: dict[str, Any], shape: tuple[int, ...]) -> None:
    q = np.asarray(random.orthogonal(KEY, **arguments))
    assert q.shape == shape
    assert q.dtype == arguments.get("dtype", "float32")
    wide = np.swapaxes(q, -1, -2) if shape[-2] > shape[-1] else q
    product = wide @ np.swapaxes(wide, -1, -2).conj()
    within = 2e-2 if q.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(
        product, np.broadcast_to(np.eye(min(shape[-2:])), product.shape), atol=within
    )


def test_orthogonal_matrices_are_uniform() -> None:
    """Their elements have mean 0 and variance 1 / n, and half of them turn round."""
    q = np.asarray(random.orthogonal(KEY, 3, (2000,))).astype(np.float64)
    assert (abs(q.mean(0)) < 4 / np.sqrt(3 * 2000)).all()
    assert (abs(q.var(0) - 1 / 3) < 0.03).all()
    assert abs((np.linalg.det(q) > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(2000)


def test_element_type_of_normal_vectors_is_that_of_mean_and_covariance() -> None:
    mean, cov = np.zeros(2, np.float16), np.eye(2, dtype=np.float16)
    assert random.multivariate_normal(KEY, mean, cov).dtype == np.float32
    assert random.multivariate_normal(KEY, mean, cov.astype(np.float32)).dtype == np.float32
    whole = random.multivariate_normal(KEY, np.zeros(2, np.int32), np.eye(2, dtype=np.int32))
    assert whole.dtype == np.float32


def test_what_is_no_size_or_type() -> None:
    with pytest.raises(ShapeError):
        random.orthogonal(KEY, -1)
    with pytest.raises(ArgumentError, match="float or complex"):
        random.orthogonal(KEY, 2, dtype="int32")

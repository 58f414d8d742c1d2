"""Products that need axes say which operand lacks them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.numpy import (
    cross,
    linalg,
    matvec,
    outer,
    permute_dims,
    tensordot,
    vander,
    vecdot,
    vecmat,
)

VECTOR = np.array([1.0, 2.0, 3.0], np.float32)
MATRICES = np.arange(18, dtype=np.float32).reshape(2, 3, 3)


def test_matrices_times_vectors() -> None:
    np.testing.assert_allclose(matvec(MATRICES, VECTOR), MATRICES @ VECTOR)
    np.testing.assert_allclose(vecmat(VECTOR, MATRICES), VECTOR @ MATRICES)


def test_a_vector_times_many() -> None:
    np.testing.assert_allclose(vecdot(VECTOR, MATRICES), MATRICES @ VECTOR)
    np.testing.assert_allclose(vecdot(MATRICES, VECTOR), MATRICES @ VECTOR)


@pytest.mark.parametrize(
    ("function", "operands", "argument"),
    [(matvec, (VECTOR, VECTOR), 0), (vecmat, (VECTOR, VECTOR), 1), (matvec, (MATRICES, 1.0), 1)],
)
def test_too_few_axes(function: Any, operands: Any, argument: int) -> None:
    with pytest.raises(ShapeError, match=f"argument {argument} has shape"):
        function(*operands)


def test_outer_products_of_linear_algebra_are_of_vectors() -> None:
    np.testing.assert_array_equal(linalg.outer(VECTOR, VECTOR), np.outer(VECTOR, VECTOR))
    np.testing.assert_array_equal(outer(MATRICES[0], VECTOR), np.outer(MATRICES[0], VECTOR))
    for x in (MATRICES[0], 2.0):
        with pytest.raises(ShapeError, match=r"treadle\.numpy\.outer"):
            linalg.outer(x, VECTOR)


def test_permuted_axes_are_named() -> None:
    assert permute_dims(MATRICES, (1, 0, 2)).shape == (3, 2, 3)
    with pytest.raises(TypeError):
        permute_dims(MATRICES)  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match="permute_dims: axes"):
        permute_dims(MATRICES, None)  # type: ignore[arg-type]


def test_powers_in_a_negative_number_of_columns() -> None:
    assert vander(VECTOR, 0).shape == (3, 0)
    with pytest.raises(ArgumentError, match="vander: N must be"):
        vander(VECTOR, -1)


def test_tensordot_says_which_axes_do_not_fit() -> None:
    x = np.ones((2, 3), np.float32)
    with pytest.raises(ShapeError, match=r"axes \(1,\) of \(2, 3\) and \(0,\) of \(2, 3\)"):
        tensordot(x, x, axes=1)
    with pytest.raises(ShapeError, match="two sequences of one length"):
        tensordot(x, x, axes=((0, 1), (0,)))


@pytest.mark.parametrize(("a", "b"), [(2, 2), (2, 3), (3, 2), (1, 3)])
def test_vector_products_are_of_three_elements(a: int, b: int) -> None:
    with pytest.raises(ValueError, match="dimension must be 3 for cross product"):
        cross(np.ones(a), np.ones((4, b)))


def test_vector_products_against_numpy() -> None:
    for axes in ({}, {"axis": 0}, {"axisc": 0}, {"axisa": 1, "axisb": 1}):
        x, y = np.random.default_rng(0).normal(size=(2, 3, 3))
        np.testing.assert_allclose(
            cross(x, y, **axes), np.cross(x, y, **axes), rtol=1e-5, atol=1e-6
        )

"""Which matrices LAPACK serves, and that what it refuses is as the reference kernel says."""

from __future__ import annotations

import subprocess
import sys
from typing import Literal

import numpy as np
import pytest

from treadle_ir import ArrayType, bind, evaluating
from treadle_ir.core import LinearAlgebra
from treadle_ir.primitives import linear_algebra as la
from treadle_ir.testing.examples import all_examples
from treadle_runtime import RuntimeEvaluator
from treadle_runtime.evaluation.host_kernels import host_kernel, host_kernels
from treadle_runtime.evaluation.lapack import MOST

F32 = np.dtype(np.float32)


def matrix(*shape: int, dtype: np.dtype = F32) -> ArrayType:
    return ArrayType(shape, dtype)


def eager(primitive, *operands):
    with evaluating(RuntimeEvaluator()):
        return [np.asarray(x) for x in bind(primitive, *operands)]


def test_every_primitive_of_the_family_has_a_kernel_but_the_one_that_is_no_arithmetic() -> None:
    ours = {type(x.primitive) for x in all_examples() if isinstance(x.primitive, LinearAlgebra)}
    without = {primitive for primitive in ours if host_kernels.get(primitive) is None}
    assert without == {la.LuPivotsToPermutation}


@pytest.mark.parametrize("shape", [(), (2,)])
def test_it_serves_single_matrices_that_are_not_empty_nor_large(shape: tuple[int, ...]) -> None:
    side = int(MOST**0.5)
    assert (host_kernel(la.Lu(), [matrix(*shape, 3, 3)]) is None) == bool(shape)
    assert host_kernel(la.Lu(), [matrix(0, 3)]) is None
    assert host_kernel(la.Lu(), [matrix(side, side)]) is not None
    assert host_kernel(la.Lu(), [matrix(side, side + 1)]) is None
    batch = [matrix(2, 3)] * 3  # diagonals of two systems
    assert host_kernel(la.TridiagonalSolve(), [*batch, matrix(2, 3, 1)]) is None
    narrow = matrix(3, 3, dtype=np.dtype(np.float16))
    assert host_kernel(la.TriangularSolve(), [narrow, narrow]) is None


def test_elements_of_the_other_triangle_may_be_anything() -> None:
    a = np.array([[2.0, np.nan], [1.0, 2.0]], F32)
    vectors, values = eager(la.Eigh(), a)
    np.testing.assert_allclose(values, [1, 3], rtol=1e-6)
    assert np.isfinite(vectors).all()
    (factor,) = eager(la.Cholesky(), a)
    np.testing.assert_allclose(factor @ factor.T, [[2, 1], [1, 2]], rtol=1e-6)


@pytest.mark.parametrize("primitive", [la.Eigh(), la.Svd(), la.Eig(), la.Schur()], ids=str)
def test_numbers_whose_squares_overflow_are_finite(primitive: LinearAlgebra) -> None:
    for result in eager(primitive, np.diag(np.array([1e30, 2e30], F32))):
        assert np.isfinite(result).all()


def test_a_zero_on_the_diagonal_makes_infinities_and_nan() -> None:
    a = np.array([[0.0, 0.0], [0.0, 2.0]], F32)
    (x,) = eager(la.TriangularSolve(), a, np.array([[1.0], [4.0]], F32))
    np.testing.assert_array_equal(np.isfinite(x), [[False], [False]])


def test_a_singular_tridiagonal_system_has_nan() -> None:
    zeros, ones = np.zeros(3, F32), np.ones((3, 1), F32)
    (x,) = eager(la.TridiagonalSolve(), zeros, zeros, zeros, ones)
    assert np.isnan(x).all()


def test_operands_are_left_as_they_are() -> None:
    a = np.asfortranarray(np.random.default_rng(0).normal(size=(4, 4)).astype(F32))
    before = a.copy()
    for primitive in (la.Lu(), la.Qr(), la.Svd(), la.Eig(), la.Schur(), la.Hessenberg()):
        eager(primitive, a)
        np.testing.assert_array_equal(a, before)


def test_scipy_is_imported_by_the_first_kernel_and_not_before() -> None:
    script = """
import sys
import numpy as np
from treadle_ir import evaluating, ops
from treadle_runtime import RuntimeEvaluator, from_host

with evaluating(RuntimeEvaluator()):
    a = ops.negate(from_host(np.eye(3, dtype=np.float32)))
    print("scipy" in sys.modules)
    ops.qr(a)
    print("scipy" in sys.modules)
"""
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert printed.split() == ["False", "True"]


@pytest.mark.parametrize("dtype", [F32, np.dtype(np.complex128)], ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_systems_are_solved_in_each_memory_order(
    dtype: np.dtype, order: Literal["C", "F"], left: bool, lower: bool, unit: bool
) -> None:
    drawn = np.random.default_rng(0)
    a = (drawn.normal(size=(4, 4)) + 3 * np.eye(4)).astype(dtype, order=order)
    if dtype.kind == "c":
        a += 1j * drawn.normal(size=(4, 4))
    b = drawn.normal(size=(4, 3) if left else (3, 4)).astype(dtype)
    triangle = np.tril(a) if lower else np.triu(a)
    if unit:
        np.fill_diagonal(triangle, 1)
    for transposes in (False, True):
        for conjugates in (False, True):
            primitive = la.TriangularSolve(left, lower, transposes, conjugates, unit)
            (x,) = eager(primitive, a, b)
            operator = triangle.T if transposes else triangle
            operator = operator.conj() if conjugates else operator
            product = operator @ x if left else x @ operator
            np.testing.assert_allclose(product, b, rtol=0, atol=1e-4)


def test_eigenvalues_alone_equal_eigenvalues_with_vectors() -> None:
    a = np.random.default_rng(0).normal(size=(5, 5)).astype(F32)
    for lower in (True, False):
        _, with_vectors = eager(la.Eigh(lower), a)
        (alone,) = eager(la.Eigh(lower, compute_vectors=False), a)
        np.testing.assert_allclose(alone, with_vectors, rtol=0, atol=1e-5)
    (none,) = eager(la.Eigh(compute_vectors=False), np.full((2, 2), np.nan, F32))
    assert np.isnan(none).all()

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import DTypeError, ShapeError, ops

A = np.eye(3, dtype=np.float32)


def test_constraints_of_factorisations() -> None:
    with pytest.raises(ShapeError, match=r"cholesky: the operand is f32.2,3., whose last two axes"):
        ops.cholesky(A[:2])
    with pytest.raises(
        ShapeError, match=r"lu: the operand is f32.3., but must have at least two axes"
    ):
        ops.lu(A[0])
    with pytest.raises(DTypeError, match=r"qr: the operand is i32.3,3., but it takes f32, f64"):
        ops.qr(A.astype(np.int32))
    with pytest.raises(DTypeError, match="cholesky: the operand is f16"):
        ops.cholesky(A.astype(np.float16))
    with pytest.raises(ShapeError, match="permutation_size is 1, but there are 2 pivots"):
        ops.lu_pivots_to_permutation(np.array([0, 1], np.int32), permutation_size=1)
    with pytest.raises(DTypeError, match="lu_pivots_to_permutation: operands are f32"):
        ops.lu_pivots_to_permutation(A[0], permutation_size=3)


def test_constraints_of_reflections() -> None:
    with pytest.raises(ShapeError, match="must not have more columns than rows"):
        ops.householder_product(A[:2], A[0, :2])
    with pytest.raises(ShapeError, match="there are 3 scalar factors"):
        ops.householder_product(A[:, :2], A[0])
    with pytest.raises(ShapeError, match=r"axis -2 of f32.2,3. has size 2"):
        ops.householder_multiply(A, A[0], A[:2])
    with pytest.raises(DTypeError, match="whose element types must be equal"):
        ops.householder_product(A, A[0].astype(np.float64))

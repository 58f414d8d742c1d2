from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import DTypeError, ShapeError, ops

A = np.eye(3, dtype=np.float32)


def test_constraints() -> None:
    with pytest.raises(ShapeError, match="axis -2 of the right-hand sides"):
        ops.triangular_solve(A, A[:2])
    with pytest.raises(ShapeError, match="axis -1 of the right-hand sides"):
        ops.triangular_solve(A, A[:, :2], left_side=False)
    with pytest.raises(ShapeError, match="whose leading axes must be equal"):
        ops.triangular_solve(A, A[None])
    with pytest.raises(DTypeError, match="whose element types must be equal"):
        ops.triangular_solve(A, A.astype(np.float64))
    with pytest.raises(ShapeError, match=r"a diagonal is f32.2., but the right-hand sides"):
        ops.tridiagonal_solve(A[0], A[0, :2], A[0], A)


def test_a_singular_system_has_nan_unless_it_is_perturbed() -> None:
    zeros, right = np.zeros(3, np.float32), np.ones((3, 1), np.float32)
    with np.errstate(all="ignore"):
        assert np.isnan(np.asarray(ops.tridiagonal_solve(zeros, zeros, zeros, right))).all()
        x = ops.tridiagonal_solve(zeros, zeros, zeros, right, perturb_singular=True)
    assert np.isfinite(np.asarray(x)).all()


def test_the_other_triangle_is_not_read() -> None:
    a = np.array([[2.0, np.nan], [1.0, 4.0]])
    x = np.asarray(ops.triangular_solve(a, np.array([[2.0], [5.0]])))
    np.testing.assert_allclose(x, [[1.0], [1.0]])

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError, ops


def test_constraints() -> None:
    with pytest.raises(ArgumentError, match="svd: algorithm is 'fast', not one of default, qr"):
        ops.svd(np.eye(2), algorithm="fast")  # type: ignore[arg-type]  # that is tested
    for each in (ops.eigh, ops.eig, ops.schur, ops.hessenberg, ops.tridiagonal):
        function: Any = each
        with pytest.raises(ShapeError, match="whose last two axes must have one size"):
            function(np.ones((2, 3)))


@pytest.mark.parametrize(("full", "sizes"), [(True, (4, 4)), (False, (2, 2))])
def test_singular_vectors_fill_the_space_on_request(full: bool, sizes: tuple[int, int]) -> None:
    a = np.arange(8.0).reshape(4, 2)
    u, s, vh = ops.svd(a, full_matrices=full)
    assert (u.shape, s.shape, vh.shape) == ((4, sizes[0]), (2,), (2, 2))
    u, _, vh = ops.svd(a.T, full_matrices=full)
    assert (u.shape, vh.shape) == ((2, 2), (sizes[1], 4))


@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_schur_of_equal_blocks_converges(blocks: int) -> None:
    a = np.kron(np.eye(blocks), [[0.0, 1.0], [-2.0, 1.0]]) + np.eye(2 * blocks, k=1)
    t, z = (np.asarray(x) for x in ops.schur(a))
    np.testing.assert_allclose(z @ t @ z.T, a, atol=1e-12)
    np.testing.assert_allclose(z.T @ z, np.eye(2 * blocks), atol=1e-12)


def test_left_eigenvectors_of_a_defective_matrix() -> None:
    a = np.array([[2.0, 1.0], [0.0, 2.0]])
    w, left, _ = (np.asarray(x) for x in ops.eig(a))
    np.testing.assert_allclose(left.conj().T @ a, w[:, None] * left.conj().T, atol=1e-7)

"""Exchanges of rows, few and many, as permutations; matrices whose squares overflow or vanish."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import eval_rules
from treadle_ir.primitives.linear_algebra import LuPivotsToPermutation, Qr, Schur


@pytest.mark.parametrize("steps", [0, 3, 200])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_exchanges_move_the_rows_that_they_name(steps: int, batch: tuple[int, ...]) -> None:
    pivots = np.random.default_rng(0).integers(0, 250, (*batch, steps), np.int32)
    primitive = LuPivotsToPermutation(250)
    (found,) = eval_rules[primitive](primitive, pivots)
    assert found.dtype == np.int32
    several = list(pivots) if batch else [pivots]
    for own, permutation in zip(several, found.reshape(-1, 250), strict=True):
        rows = np.arange(250)
        for i, pivot in enumerate(own):
            rows[[i, pivot]] = rows[[pivot, i]]
        np.testing.assert_array_equal(permutation, rows)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("scale", [2.0**-100, 1.0, 2.0**100])
def test_squares_of_elements_neither_overflow_nor_vanish(
    scale: float, dtype: type[np.generic]
) -> None:
    a = np.array([[2.0, -1.0, 0.5], [1.0, 3.0, -2.0], [0.25, 1.5, 4.0]]).astype(dtype)
    scaled = a * np.float32(scale)
    pivoted = Qr(pivoting=True)
    q, r, order = eval_rules[pivoted](pivoted, scaled)
    np.testing.assert_array_equal(order, [2, 1, 0])
    np.testing.assert_allclose(q.conj().T @ q, np.eye(3), atol=1e-5)
    np.testing.assert_allclose(q @ (r / np.float32(scale)), a[:, order], atol=1e-5)
    t, z = eval_rules[Schur()](Schur(), scaled)
    np.testing.assert_allclose(z @ (t / np.float32(scale)) @ z.conj().T, a, atol=1e-5)

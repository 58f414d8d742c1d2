"""Exchanges of rows, few and many, as permutations."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import eval_rules
from treadle_ir.primitives.linear_algebra import LuPivotsToPermutation


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

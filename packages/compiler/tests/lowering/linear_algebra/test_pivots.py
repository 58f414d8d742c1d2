"""Exchanges of rows are made in place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treadle_ir import Operand, ops

SIZE = 10_000


def test_a_step_copies_no_rows(temporaries: Callable[..., int]) -> None:
    def permutation(pivots: Operand) -> list[Operand]:
        return [ops.lu_pivots_to_permutation(pivots, permutation_size=SIZE)]

    pivots = np.zeros(SIZE, np.int32)
    assert temporaries(permutation, pivots) < 1.5 * pivots.nbytes

"""Exchanges of rows are made in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import Operand, ops

SIZE = 10_000


def test_a_step_copies_no_rows(temporaries: Callable[..., int]) -> None:
    def permutation(pivots: Operand) -> list[Operand]:
        return [ops.lu_pivots_to_permutation(pivots, permutation_size=SIZE)]

    pivots = np.zeros(SIZE, np.int32)
    assert temporaries(permutation, pivots) < 1.5 * pivots.nbytes


@pytest.mark.parametrize("batch", [(), (2,)])
def test_each_exchange_is_made(compiled: Callable[..., Any], batch: tuple[int, ...]) -> None:
    def permutation(pivots: Operand) -> list[Operand]:
        return [ops.lu_pivots_to_permutation(pivots, permutation_size=4)]

    pivots = np.broadcast_to(np.array([1, 2, 3, 3], np.int32), (*batch, 4))
    expected = np.broadcast_to([1, 2, 3, 0], (*batch, 4))
    np.testing.assert_array_equal(compiled(permutation, pivots)(pivots)[0], expected)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy.numpy import einsum, einsum_path

DRAW = np.random.default_rng(0)
X, Y, Z = (DRAW.integers(-3, 4, shape).astype(np.float32) for shape in ((2, 3), (3, 4), (4, 2)))
TEXT = "ij,jk,kl->il"


@pytest.mark.parametrize(
    "order",
    [
        *("auto", "optimal", "greedy", True, False, None),
        *([(0, 1), (0, 1)], [[1, 2], [0, 1]], [(0, 1, 2)], ((2, 0), (1, 0))),
        ["einsum_path", (0, 2), (0, 1)],
        einsum_path(TEXT, X, Y, Z)[0],
    ],
)
def test_orders(order: Any) -> None:
    np.testing.assert_array_equal(einsum(TEXT, X, Y, Z, optimize=order), X @ Y @ Z)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("fastest", "optimize is 'fastest'"),
        (3, "optimize is 3"),
        ({1: 2}, "optimize is {1: 2}"),
        ([(0, 5), (0, 1)], "^einsum: a step of optimize must be places from 0 to 2"),
        ([(0, 0), (0, 1)], "^einsum: a step of optimize must be places from 0 to 2"),
        ([(0, 1)], "^einsum: optimize must be a list of steps that take all 3 operands"),
        ([("a", "b")], "each of a step of optimize"),
    ],
)
def test_what_is_no_order(order: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        einsum(TEXT, X, Y, Z, optimize=order)

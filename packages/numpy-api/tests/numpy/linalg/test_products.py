from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from treadle_ir import ArrayType, ShapeError, stage
from treadle_ir.primitives.contract import DotGeneral
from treadle_numpy.numpy import linalg


def chain(sizes: list[int]) -> list[np.ndarray]:
    draw = np.random.default_rng(0)
    return [draw.integers(-2, 3, shape).astype(np.float32) for shape in pairwise(sizes)]


def work(sizes: list[int]) -> list[int]:
    """Return how many products of numbers each product of matrices takes."""
    types = [ArrayType(x.shape, x.dtype) for x in chain(sizes)]
    program = stage(lambda *xs: [linalg.multi_dot(xs)], *types).program
    found = []
    for each in program.equations:
        if isinstance(each.primitive, DotGeneral):
            x, y = [operand.type for operand in each.operands]
            assert isinstance(x, ArrayType)
            assert isinstance(y, ArrayType)
            found.append(x.size * y.shape[1])
    return found


def test_many_matrices_are_multiplied_in_the_order_that_costs_least() -> None:
    """As NumPy does; the order is found at once, also for very many."""
    sizes = [30, 35, 15, 5, 10, 20, 25]  # the example of the book
    assert sum(work(sizes)) == 15125
    assert len(work([2] * 81)) == 79
    xs = chain(sizes)
    for first in (xs[0], xs[0][0]):
        for last in (xs[-1], xs[-1][:, 0]):
            given = [first, *xs[1:-1], last]
            np.testing.assert_allclose(linalg.multi_dot(given), np.linalg.multi_dot(given))
    assert float(linalg.multi_dot([xs[0][0], xs[1][:, 0]])) == xs[0][0] @ xs[1][:, 0]


def test_neighbours_fit() -> None:
    with pytest.raises(ShapeError, match=r"arguments 1 and 2 have shapes \(3, 1\) and \(4, 2\)"):
        linalg.multi_dot([np.ones((2, 3)), np.ones((3, 1)), np.ones((4, 2))])

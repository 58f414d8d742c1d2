from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArrayType, Primitive, ShapeError
from treadle_ir.primitives.collective import AllGather, AllReduce, AllToAll, ReduceScatter

X = ArrayType((4, 6), np.dtype(np.float32))
GROUPS = ((0, 2, 4), (5, 3, 1))


@pytest.mark.parametrize(
    ("primitive", "shape"),
    [
        (AllReduce("add", ("i",), groups=GROUPS), (4, 6)),
        (AllReduce("add", ("i",), groups=((0,), (2, 1))), (4, 6)),
        (AllGather(("i",), 3, 1, False, GROUPS), (4, 3, 6)),
        (AllGather(("i",), 3, 1, True, GROUPS), (4, 18)),
        (ReduceScatter(("i",), 3, 1, GROUPS), (4, 2)),
        (AllToAll(("i",), 3, 1, 0, GROUPS), (12, 2)),
    ],
)
def test_sizes_are_those_of_groups(primitive: Primitive, shape: tuple[int, ...]) -> None:
    (found,) = primitive.infer(X)
    assert isinstance(found, ArrayType)
    assert found.shape == shape


@pytest.mark.parametrize(
    ("primitive", "message"),
    [
        (AllReduce("add", ("i",), groups=()), "each number once"),
        (AllReduce("add", ("i",), groups=((0, 1), (1, 2))), "each number once"),
        (AllReduce("add", ("i",), groups=((0, 1), ())), "each number once"),
        (AllGather(("i",), 3, 1, False, ((0, 1, 2, 3), (4, 5))), "3 numbers each"),
        (ReduceScatter(("i",), 2, 1, GROUPS), "2 numbers each"),
        (AllToAll(("i",), 6, 1, 0, GROUPS), "6 numbers each"),
    ],
)
def test_groups_that_do_not_fit(primitive: Primitive, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        primitive.infer(X)

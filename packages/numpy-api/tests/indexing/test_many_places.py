"""Arrays with more places along an axis than integers of 32 bits count: types only, since they take gigabytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, DTypeError, Program, stage
from treadle_ir.core.dtypes import BY_NAME
from treadle_numpy import lax, numpy as tnp

SIZE = 2**31 + 10
MANY = ArrayType((SIZE,), BY_NAME["u8"])
BEYOND = np.array([2**31 + 2, -1])


def staged(function: Callable[[Any], Any]) -> Program:
    return stage(lambda x: [function(x)], MANY).program


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[BEYOND],
        lambda x: tnp.take(x, tnp.array([5])),
        lambda x: tnp.take_along_axis(x, tnp.array([5]), 0),
        lambda x: x.at[BEYOND].set(1),
        lambda x: x.at[BEYOND].add(1),
        lambda x: x.at[-2].set(1),
        lambda x: x[tnp.sum(x[:3])],
        lambda x: lax.dynamic_slice(x, (-5,), (3,)),
        lambda x: lax.dynamic_update_slice(x, np.ones(3, np.uint8), (tnp.sum(x[:3]),)),
    ],
)
def test_positions_are_wide_enough(function: Callable[[Any], Any]) -> None:
    moving = ("gather", "scatter", "scatter_add", "dynamic_slice", "dynamic_update_slice")
    (equation,) = [e for e in staged(function).equations if e.primitive.name in moving]
    types = [operand.type for operand in equation.operands]
    assert BY_NAME["i64"] in [type.dtype for type in types if isinstance(type, ArrayType)]


@pytest.mark.parametrize(
    "function",
    [
        tnp.argmax,
        tnp.argmin,
        tnp.argsort,
        lambda x: tnp.lexsort((x,)),
        lambda x: tnp.nonzero(x, size=3)[0],
        lambda x: lax.top_k(x, 3)[1],
        lambda x: tnp.top_k(x, 3, mode="smallest")[1],
    ],
)
def test_results_that_cannot_hold_the_positions_are_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(DTypeError, match=r"cannot hold every position"):
        staged(function)


def test_known_positions() -> None:
    for program in (staged(lambda x: x[-1]), staged(lambda x: x[2**31 :])):
        assert program.equations[0].primitive.name == "slice"

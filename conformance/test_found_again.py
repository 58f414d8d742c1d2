"""Without jit, what stages a function each time it is called compiles nothing the second time, lambdas included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle_ir.events import Event, ProgramLowered, listening

X = tnp.arange(4.0)
ROWS = tnp.ones((3, 4))


def _sum(x: Any) -> Any:
    return tnp.sin(x).sum()


CALLS: dict[str, Callable[[], Any]] = {
    "scan": lambda: lax.scan(lambda c, row: (tnp.sin(c + row), c.sum()), X, ROWS),
    "fori_loop": lambda: lax.fori_loop(0, 3, lambda i, x: tnp.sin(x) + i, X),
    "while_loop": lambda: lax.while_loop(lambda x: x.sum() < 9, lambda x: x + 1, X),
    "nested": lambda: lax.fori_loop(
        0, 3, lambda i, x: lax.fori_loop(0, i, lambda j, x: x + j, x), X
    ),
    "cond": lambda: lax.cond(X[1] > 0, lambda x: _sum(x), lambda x: -x.sum(), X),
    "checkpoint": lambda: treadle.checkpoint(lambda x: _sum(2 * x))(X),
    "grad of checkpoint": lambda: treadle.grad(treadle.checkpoint(lambda x: _sum(2 * x)))(X),
    "grad of scan of checkpoint": lambda: treadle.grad(
        lambda x: lax.scan(treadle.checkpoint(lambda c, row: (tnp.sin(c + row), None)), x, ROWS)[
            0
        ].sum()
    )(X),
    "vmap of checkpoint": lambda: treadle.vmap(treadle.checkpoint(lambda x: _sum(2 * x)))(ROWS),
    "composite": lambda: lax.composite(lambda x: _sum(2 * x), "my.function")(X),
    "grad of linear_call": lambda: treadle.grad(
        lambda x: treadle.custom_derivatives.linear_call(
            lambda by, x: x / by, lambda by, ct: ct / by, 2 + X, x
        ).sum()
    )(X),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_lowered_again(name: str) -> None:
    for _ in range(2):
        CALLS[name]()
    heard: list[Event] = []
    with listening(heard.append):
        CALLS[name]()
    assert not [each for each in heard if isinstance(each, ProgramLowered)]

"""Batching of foreign calls: the operands, layouts and aliases of the call for a batch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import ArrayType, Equation, MissingRuleError, bind, stage
from treadle_ir.primitives.control import Scan
from treadle_ir.primitives.foreign import ForeignCall

F32 = np.dtype("f4")
X, Y = ArrayType((3, 4), F32), ArrayType((3,), F32)
CALL = ForeignCall("target", (X,), ((1, 0), (0,)), ((1, 0),), input_output_aliases=((0, 0),))


def batched(method: Any, in_axes: tuple[int | None, int | None] = (1, None)) -> Equation:
    call = replace(CALL, vmap_method=method)
    types = [
        type if axis is None else type.with_shape((*type.shape[:axis], 5, *type.shape[axis:]))
        for type, axis in zip((X, Y), in_axes, strict=True)
    ]
    mapped = vmap(lambda *xs: bind(call, *xs)[0], in_axes=in_axes)
    staged = stage(lambda *xs: [mapped(*xs)], *types)
    return next(
        each for each in staged.program.equations if isinstance(each.primitive, (ForeignCall, Scan))
    )


@pytest.mark.parametrize(
    ("method", "shape", "layout"),
    [
        ("broadcast_all", (5, 3), (0, 1)),
        ("expand_dims", (1, 3), (0, 1)),
        ("legacy_vectorized", (3,), (0,)),
    ],
)
def test_at_once(method: str, shape: tuple[int, ...], layout: tuple[int, ...]) -> None:
    equation = batched(method)
    call = equation.primitive
    assert isinstance(call, ForeignCall)
    x, y = (each.type for each in equation.operands)
    assert isinstance(x, ArrayType)
    assert isinstance(y, ArrayType)
    assert (x.shape, y.shape) == ((5, 3, 4), shape)
    assert call.input_layouts == ((0, 2, 1), layout)
    assert call.output_layouts == ((0, 2, 1),)
    assert call.result_types == (ArrayType((5, 3, 4), F32),)
    assert call.input_output_aliases == ((0, 0),)


def test_memory_of_what_is_not_batched_is_not_taken_over() -> None:
    kept = batched("expand_dims", (None, 0)).primitive
    repeated = batched("broadcast_all", (None, 0)).primitive
    assert isinstance(kept, ForeignCall)
    assert isinstance(repeated, ForeignCall)
    assert kept.input_output_aliases == ()
    assert repeated.input_output_aliases == ((0, 0),)


@pytest.mark.parametrize(("method", "unroll"), [("sequential", 1), ("sequential_unrolled", 5)])
def test_one_by_one(method: str, unroll: int) -> None:
    loop = batched(method).primitive
    assert isinstance(loop, Scan)
    assert (loop.length, loop.unroll) == (5, unroll)
    (inner,) = loop.body.equations
    assert inner.primitive == replace(CALL, vmap_method=method)  # type: ignore[arg-type]


def test_nothing_is_guessed() -> None:
    with pytest.raises(MissingRuleError, match="'target'"):
        batched(None)

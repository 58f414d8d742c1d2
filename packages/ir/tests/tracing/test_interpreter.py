"""Programs run by hand: operands are looked at, and what is wrong is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import (
    ArgumentError,
    ArrayType,
    DTypeError,
    Literal,
    ReferenceEvaluator,
    ShapeError,
    interpret,
    ops,
    stage,
)
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.elementwise import Add
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_ir.tracing import interpret_unchecked

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)
PROGRAM = stage(
    lambda x, n: [ops.multiply(x, x), ops.add(n, n)], ArrayType((3,), F32), ArrayType((), I32)
).program
X, N = np.array([1.0, 2.0, 3.0], F32), np.int32(4)


def test_what_fits_is_computed() -> None:
    for n in (N, np.array(4, I32), 4, Literal(N, ArrayType((), I32, weak=True))):
        square, twice = interpret(PROGRAM, X, n)  # type: ignore[arg-type]  # Python's 4
        assert (np.asarray(square).tolist(), int(np.asarray(twice))) == ([1.0, 4.0, 9.0], 8)
        assert np.asarray(twice).dtype == I32


@pytest.mark.parametrize(
    ("operands", "error", "message"),
    [
        ((), ArgumentError, "the program has 2 parameters, but 0 operands were given"),
        ((X,), ArgumentError, "the program has 2 parameters, but 1 operand was given"),
        ((X, N, N), ArgumentError, "the program has 2 parameters, but 3 operands were given"),
        ((X[:2], N), ShapeError, r"parameter %0 is f32\[3\], but the operand is f32\[2\]"),
        ((X[0], N), ShapeError, r"parameter %0 is f32\[3\], but the operand is f32\[\]"),
        ((2.0, N), ShapeError, r"parameter %0 is f32\[3\]"),
        ((X.astype(np.float64), N), DTypeError, r"%0 is f32\[3\], but the operand is f64\[3\]"),
        ((X, X), ShapeError, r"parameter %1 is i32\[\], but the operand is f32\[3\]"),
        ((X, 4.0), DTypeError, r"parameter %1 is i32\[\]"),
        ((X, True), DTypeError, r"parameter %1 is i32\[\], but the operand is bool\[\]"),
        ((X, 2**40), OverflowError, "out of bounds|too large|out of range"),
        ((X, "four"), ArgumentError, "not a valid treadle type"),
    ],
)
def test_what_does_not_fit_is_named(
    operands: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        interpret(PROGRAM, *operands)


def test_the_check_happens_before_anything_runs() -> None:
    ran = []

    def note(x: Any) -> list[Any]:
        ran.append(x)
        return [x]

    program = stage(lambda x, y: [ops.add(x, y)], *[ArrayType((2,), F32)] * 2).program
    with pytest.raises(ShapeError, match="parameter %1"):
        interpret(program, note(X[:2])[0], X)
    assert len(ran) == 1


def test_there_is_an_entry_for_those_who_have_checked() -> None:
    (total,) = interpret_unchecked(
        stage(lambda x: [ops.add(x, x)], ArrayType((3,), F32)).program, X
    )
    np.testing.assert_array_equal(np.asarray(total), X + X)


@pytest.mark.parametrize(
    ("primitive", "count", "message"),
    [
        (Add(), 1, r"add: takes 2 operands, but was given 1: f32\[3\]"),
        (Add(), 3, "add: takes 2 operands, but was given 3"),
        (Add(), 0, "add: takes 2 operands, but was given 0: none"),
        (Select(), 2, "select: takes 3 operands, but was given 2"),
        (ReduceAdd((0,)), 2, "reduce_add: takes 1 operand, but was given 2"),
    ],
)
def test_the_evaluator_counts_operands(primitive: Any, count: int, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        ReferenceEvaluator().evaluate(primitive, [X] * count)

"""Examples of reductions."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.primitives.reduce import (
    Argmax,
    Argmin,
    ReduceAdd,
    ReduceAnd,
    ReduceMaximum,
    ReduceMinimum,
    ReduceMultiply,
    ReduceOr,
    ReduceXor,
)
from treadle_ir.testing.examples import Draw, Example, array_type, example
from treadle_ir.tracing.array import Operand

_I8, _I32, _U16, _I64 = (dtypes.BY_NAME[name] for name in ("i8", "i32", "u16", "i64"))


def distinct(*types: str) -> Draw:
    """Draw elements that are well apart from each other, so that small changes do not reorder them."""

    def draw(random: np.random.Generator) -> list[Operand]:
        operands: list[Operand] = []
        for text in types:
            type = array_type(text)
            spaced = random.permutation(type.size) - type.size // 2
            scale = 0.25 if dtypes.is_inexact(type.dtype) else 1
            operands.append((spaced * scale).reshape(type.shape).astype(type.dtype))
        return operands

    return draw


def ties(random: np.random.Generator) -> list[Operand]:
    """Draw f32[3,8] with every value several times, NaN, infinities and both zeros among them."""
    values = np.array([1, 2, np.nan, np.inf, -np.inf, 0, -0.0, 2], np.float32)
    return [np.stack([random.permutation(values), np.sort(values), values[::-1]])]


def finite_ties(random: np.random.Generator) -> list[Operand]:
    """Draw f32[3,8] with values that occur several times, both zeros among them, but no NaN or infinity."""
    values = np.array([1, 2, 0, -0.0, -3, -3, 2, 0], np.float32)
    return [np.stack([random.permutation(values), np.sort(values), values[::-1]])]


def complex_ties(random: np.random.Generator) -> list[Operand]:
    """Draw c64[3,8] with real parts that occur several times, and some numbers too."""
    values = np.array([1 + 2j, 2 - 1j, 2 - 5j, -3j, 2 - 1j, -1, 1 - 7j, 2 - 5j], np.complex64)
    return [np.stack([random.permutation(values), np.sort(values), values[::-1]])]


EXAMPLES: Final[list[Example]] = [
    *[example(operation((1,)), "f32[2,3]") for operation in (ReduceAdd, ReduceMultiply)],
    *[
        example(operation(axes), types)
        for operation in (ReduceAdd, ReduceMultiply)
        for axes, types in [
            ((0, 2), "f64[2,3,2]"),
            ((0,), "c64[3,2]"),
            ((0, 1), "i32[2,3]"),
            ((1,), "u8[2,4]"),
            ((0,), "bf16[4,2]"),
            ((0,), "f16[4]"),
            ((), "f32[2]"),
            ((), "f32[]"),
            ((0,), "f32[0,2]"),
            ((0,), "f32[2,0]"),
        ]
    ],
    example(
        ReduceMultiply((0,)),
        "f64[4,3]",
        draw=lambda random: [np.array([[0, 2, 0], [3, 0, 0], [2, 1, 5], [1, 4, 1.5]])],
        label="zeros",
    ),
    *[
        example(operation(axes), types, draw=distinct(types))
        for operation in (ReduceMaximum, ReduceMinimum)
        for axes, types in [
            ((1,), "f32[2,3]"),
            ((0, 2), "f64[2,3,2]"),
            ((0,), "bf16[4,2]"),
            ((), "f32[2]"),
            ((), "f32[]"),
            ((0,), "f32[2,0]"),
            ((0,), "c64[3,2]"),
            ((0, 1), "c128[2,3]"),
        ]
    ],
    *[
        example(operation((1,)), "c64[3,8]", draw=complex_ties, differentiable=False, label="ties")
        for operation in (ReduceMaximum, ReduceMinimum)
    ],
    *[
        example(operation(axes), types)
        for operation in (ReduceMaximum, ReduceMinimum)
        for axes, types in [
            ((0,), "c64[0,2]"),
            ((0, 1), "i32[2,3]"),
            ((1,), "u8[2,4]"),
            ((0,), "bool[3]"),
            ((0,), "i32[0,2]"),
            ((0,), "f32[0,2]"),
        ]
    ],
    *[
        example(operation((1,)), "f32[3,8]", draw=draw, differentiable=False, label=label)
        for operation in (ReduceMaximum, ReduceMinimum)
        for draw, label in [(ties, "ties"), (finite_ties, "finite ties")]
    ],
    *[
        example(operation(axes), types)
        for operation in (ReduceAnd, ReduceOr, ReduceXor)
        for axes, types in [
            ((0,), "bool[3,2]"),
            ((0, 1), "i32[2,3]"),
            ((1,), "u8[2,3]"),
            ((0,), "bool[0,2]"),
            ((0,), "i32[0]"),
            ((), "bool[]"),
        ]
    ],
    *[
        example(operation(axis, dtype), types, draw=distinct(types))
        for operation in (Argmax, Argmin)
        for axis, dtype, types in [
            (0, _I32, "f32[5]"),
            (1, _I32, "f32[3,4]"),
            (0, _I64, "f64[3,4]"),
            (1, _I8, "f32[2,3,2]"),
            (0, _U16, "i32[4]"),
            (0, _I32, "bf16[4,2]"),
            (0, _I32, "f32[2,0]"),
            (0, _I32, "f32[1]"),
        ]
    ],
    *[
        example(operation(1, _I32), "f32[3,8]", draw=ties, differentiable=False, label="ties")
        for operation in (Argmax, Argmin)
    ],
    *[example(operation(1, _I32), "bool[3,4]") for operation in (Argmax, Argmin)],
    *[
        example(operation(0, _I32), "u8[6]", label="equal elements")
        for operation in (Argmax, Argmin)
    ],
]

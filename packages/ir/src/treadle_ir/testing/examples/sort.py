"""Examples of sorting."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.sort import Sort, TopK
from treadle_ir.testing.examples import Example, example
from treadle_ir.testing.examples.reduce import distinct, finite_ties, ties
from treadle_ir.tracing.array import Operand


def _ties_with_positions(random: np.random.Generator) -> list[Operand]:
    (x,) = ties(random)
    return [x, np.tile(np.arange(8, dtype=np.int32), (3, 1))]


EXAMPLES: Final[list[Example]] = [
    *[
        example(Sort(axis), types, draw=distinct(types))
        for axis, types in [
            (0, "f32[7]"),
            (1, "f32[2,5]"),
            (0, "f64[4,2]"),
            (0, "bf16[5]"),
            (0, "f16[5]"),
            (0, "i32[6]"),
            (1, "u8[2,4]"),
            (0, "i64[5]"),
            (0, "u64[5]"),
            (0, "u32[5]"),
            (0, "c64[5]"),
            (0, "f32[0]"),
            (0, "f32[3,0]"),
            (0, "f32[1]"),
        ]
    ],
    example(Sort(0), "bool[6]"),
    *[
        example(operation, "f32[3,8]", draw=draw, differentiable=False, label=label)
        for operation in (Sort(1), TopK(8))
        for draw, label in [(ties, "ties"), (finite_ties, "finite ties")]
    ],
    example(Sort(0, stable=False), "f32[6]", draw=distinct("f32[6]"), label="not stable"),
    example(
        Sort(1),
        "f32[3,8]",
        "i32[3,8]",
        draw=_ties_with_positions,
        differentiable=False,
        label="ties",
    ),
    *[
        example(Sort(axis, keys), *types, draw=distinct(*types))
        for axis, keys, types in [
            (0, 1, ("f32[5]", "f32[5]")),
            (1, 1, ("f64[2,4]", "f64[2,4]", "f32[2,4]")),
            (0, 1, ("i32[4,2]", "f32[4,2]")),
            (0, 1, ("bf16[5]", "i32[5]")),
            (0, 1, ("u32[5]", "bool[5]")),
            (0, 1, ("i64[5]", "c64[5]")),
            (0, 1, ("f32[0]", "f32[0]")),
        ]
    ],
    example(
        Sort(0, 2),
        "i32[6]",
        "f32[6]",
        draw=lambda random: [
            np.array([1, 0, 1, 0, 1, 1], np.int32),
            np.array([3, 1, 2, 0.5, 4, 1], np.float32),
        ],
        label="second key",
    ),
    example(Sort(0, 2), "bool[6]", "i32[6]", "f32[6]", label="two keys, one payload"),
    example(Sort(0, 2), "c64[4]", "f32[4]", draw=distinct("c64[4]", "f32[4]"), label="complex"),
    *[
        example(TopK(k), types, draw=distinct(types))
        for k, types in [
            (2, "f32[6]"),
            (3, "f32[2,5]"),
            (5, "f64[2,5]"),
            (2, "bf16[5]"),
            (2, "i32[6]"),
            (1, "u8[2,3]"),
            (0, "f32[3]"),
            (0, "f32[2,0]"),
            (1, "f32[0,3]"),
        ]
    ],
    example(TopK(3), "bool[6]"),
]

"""Examples of cumulative operations."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.cumulative import (
    CumulativeAdd,
    CumulativeLogsumexp,
    CumulativeMaximum,
    CumulativeMinimum,
    CumulativeMultiply,
)
from treadle_ir.testing.examples import Example, example
from treadle_ir.testing.examples.reduce import complex_ties, distinct, finite_ties, ties

EXAMPLES: Final[list[Example]] = [
    *[
        example(operation(axis, reverse), types, label="reverse" if reverse else "")
        for operation in (CumulativeAdd, CumulativeMultiply)
        for axis, reverse, types in [
            (0, False, "f32[5]"),
            (0, True, "f32[5]"),
            (1, False, "f64[2,7]"),
            (0, True, "f64[3,2]"),
            (1, True, "c64[2,3]"),
            (0, False, "bf16[6]"),
            (0, False, "i32[4]"),
            (1, True, "u8[2,4]"),
            (0, False, "f32[0,2]"),
            (1, False, "f32[2,1]"),
        ]
    ],
    example(
        CumulativeMultiply(1),
        "f64[3,5]",
        draw=lambda random: [np.array([[0, 2, 3, 4, 5], [2, 0, 3, 0, 1.5], [1, 2, 3, 4, 0]])],
        label="zeros",
    ),
    example(CumulativeAdd(0), "f32[70]", label="longer than a block"),
    example(CumulativeAdd(1, True), "f32[2,1500]", domain=(-0.5, 0.5), label="long"),
    *[
        example(
            operation(axis, reverse),
            types,
            draw=distinct(types),
            label="reverse" if reverse else "",
        )
        for operation in (CumulativeMaximum, CumulativeMinimum)
        for axis, reverse, types in [
            (0, False, "f32[5]"),
            (0, True, "f32[5]"),
            (1, False, "f64[2,7]"),
            (0, True, "f64[5,2]"),
            (0, False, "bf16[6]"),
            (0, False, "i32[4]"),
            (1, True, "u8[2,4]"),
            (0, False, "f32[0,2]"),
            (0, False, "f32[1]"),
            (0, False, "c64[5]"),
            (1, True, "c128[2,7]"),
        ]
    ],
    *[
        example(operation(1), "c64[3,8]", draw=complex_ties, differentiable=False, label="ties")
        for operation in (CumulativeMaximum, CumulativeMinimum)
    ],
    *[example(operation(0), "bool[4]") for operation in (CumulativeMaximum, CumulativeMinimum)],
    *[
        example(operation(1), "f32[3,8]", draw=draw, differentiable=False, label=label)
        for operation in (CumulativeMaximum, CumulativeMinimum)
        for draw, label in [(ties, "ties"), (finite_ties, "finite ties")]
    ],
    *[
        example(CumulativeLogsumexp(axis, reverse), types, label="reverse" if reverse else "")
        for axis, reverse, types in [
            (0, False, "f32[5]"),
            (0, True, "f32[5]"),
            (1, False, "f64[2,7]"),
            (0, True, "f64[3,2]"),
            (0, False, "bf16[6]"),
            (0, False, "f32[0,2]"),
            (1, False, "f32[2,1]"),
        ]
    ],
    example(CumulativeLogsumexp(0), "f64[6]", domain=(-800.0, 800.0), label="far apart"),
    example(
        CumulativeLogsumexp(0),
        "f32[4]",
        draw=lambda random: [np.array([-np.inf, -np.inf, 1, -np.inf], np.float32)],
        differentiable=False,
        label="minus infinity",
    ),
]

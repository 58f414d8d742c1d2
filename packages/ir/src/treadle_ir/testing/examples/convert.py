"""Examples of element-type conversion."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.core.dtypes import BY_NAME, KEY, RBG
from treadle_ir.primitives.convert import BitcastConvert, Convert, Copy, ReducePrecision
from treadle_ir.testing.examples import example
from treadle_ir.tracing.array import Operand


def _extremes(random: np.random.Generator) -> list[Operand]:
    return [np.asarray([np.nan, 1e20, -1e20, np.inf, -np.inf, 300.5, -5.7, 0.9], np.float32)]


EXAMPLES: Final = [
    *(
        example(Convert(BY_NAME[target]), source, label=f"to-{target}")
        for source, target in (
            ("f32[2,3]", "f64"),
            ("f64[3]", "f32"),
            ("f64[4]", "bf16"),
            ("bf16[4]", "f32"),
            ("f32[4]", "f16"),
            ("f32[4]", "f8e4m3fn"),
            ("f64[3]", "c128"),
            ("f32[]", "c64"),
            ("c128[3]", "f64"),
            ("c64[3]", "c128"),
            ("c64[3]", "f32"),
            ("i32[3]", "f32"),
            ("i32[3]", "i8"),
            ("i32[3]", "u8"),
            ("u8[3]", "i64"),
            ("bool[3]", "f32"),
            ("bool[]", "i32"),
            ("f32[4]", "i32"),
            ("f32[4]", "bool"),
            ("i32[4]", "bool"),
            ("i32[2]", "c64"),
            ("f32[0,3]", "i32"),
        )
    ),
    *(
        example(
            Convert(BY_NAME[target]),
            "f32[8]",
            draw=_extremes,
            differentiable=False,
            label=f"saturating-{target}",
        )
        for target in ("i8", "u8", "i32", "u32", "i64", "bool")
    ),
    example(Convert(BY_NAME["f32"], weak=True), "f32[3]", label="weak"),
    example(BitcastConvert(BY_NAME["i32"]), "f32[2,3]"),
    example(BitcastConvert(BY_NAME["f32"]), "u32[3]", domain=(0.0, 2e9)),
    example(BitcastConvert(BY_NAME["u16"]), "bf16[]"),
    example(BitcastConvert(BY_NAME["u64"]), "f64[0]"),
    example(ReducePrecision(5, 10), "f32[2,3]", label="f16", differentiable=False),
    example(ReducePrecision(8, 7), "f64[4]", label="bf16", differentiable=False),
    example(
        ReducePrecision(3, 2), "f32[8]", domain=(-40.0, 40.0), label="small", differentiable=False
    ),
    example(ReducePrecision(4, 3), "bf16[4]", differentiable=False),
    example(ReducePrecision(8, 0), "f32[4]", label="powers of two", differentiable=False),
    example(ReducePrecision(5, 10), "f16[]", label="same"),
    example(Copy(), "f64[2,3]"),
    example(Copy(), "i32[]"),
    example(Copy(), "bool[3]"),
    example(Copy(), "c64[0]"),
    example(Convert(KEY), "key<fry>[2]"),
    example(Convert(RBG), "key<rbg>[2]"),
    example(Copy(), "key<fry>[2]"),
]

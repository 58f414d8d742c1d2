"""Examples of comparison and selection."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.compare import Clamp, Compare, Select
from treadle_ir.testing.examples import array_type, example, sample
from treadle_ir.tracing.array import Operand


def _one_key(random: np.random.Generator) -> list[Operand]:
    keys = sample(random, array_type("key<fry>[3]"), (0.0, 1.0))
    return [keys, keys]


EXAMPLES: Final = [
    example(Compare("eq"), "i32[2,3]", "i32[2,3]"),
    example(Compare("ne"), "c64[4]", "c64[4]"),
    example(Compare("eq"), "bool[4]", "bool[]"),
    example(Compare("lt"), "f32[2,3]", "f32[2,3]"),
    example(Compare("le"), "u8[5]", "u8[5]", domain=(0.0, 3.0)),
    example(Compare("gt"), "f64[]", "f64[4]"),
    example(Compare("ge"), "bf16[4]", "bf16[]"),
    example(Compare("lt"), "i32[0,2]", "i32[0,2]"),
    example(Select(), "bool[2,3]", "f64[2,3]", "f64[2,3]"),
    example(Select(), "bool[]", "f64[2,3]", "f64[2,3]", label="scalar-condition"),
    example(Select(), "bool[4]", "f64[]", "f64[4]", label="scalar-choice"),
    example(Select(), "bool[4]", "f64[]", "f64[]", label="scalar-choices"),
    example(Select(), "bool[3]", "c128[3]", "c128[3]"),
    example(Select(), "bool[3]", "bf16[3]", "bf16[3]"),
    example(Select(), "bool[3]", "i32[3]", "i32[3]"),
    example(Select(), "bool[]", "bool[]", "bool[]"),
    example(Select(), "bool[0]", "f32[0]", "f32[0]"),
    # The draws fall on all sides of the limits.
    example(Clamp(), "f64[8]", "f64[8]", "f64[8]"),
    example(Clamp(), "f64[]", "f64[6]", "f64[]", label="scalar-limits"),
    example(Clamp(), "f32[]", "f32[]", "f32[]"),
    example(Clamp(), "i32[5]", "i32[5]", "i32[5]", domain=(-5.0, 5.0)),
    example(Clamp(), "bool[4]", "bool[4]", "bool[4]"),
    example(Clamp(), "bool[]", "bool[4]", "bool[]", label="truths-scalar-limits"),
    example(Clamp(), "u8[2,3]", "u8[2,3]", "u8[2,3]", domain=(0.0, 9.0)),
    example(Clamp(), "bf16[0]", "bf16[0]", "bf16[0]"),
    example(Compare("eq"), "key<fry>[2,3]", "key<fry>[2,3]"),
    example(Compare("ne"), "key<fry>[4]", "key<fry>[]"),
    example(Compare("eq"), "key<fry>[3]", "key<fry>[3]", draw=_one_key, label="equal"),
    example(Compare("eq"), "key<rbg>[2,3]", "key<rbg>[2,3]"),
    example(Compare("ne"), "key<rbg>[4]", "key<rbg>[]"),
    example(Select(), "bool[3]", "key<rbg>[3]", "key<rbg>[3]"),
    example(Select(), "bool[4]", "key<rbg>[]", "key<rbg>[4]"),
    example(Select(), "bool[3]", "key<fry>[3]", "key<fry>[3]"),
    example(Select(), "bool[4]", "key<fry>[]", "key<fry>[4]"),
    example(Select(), "bool[]", "key<fry>[2]", "key<fry>[2]"),
]

"""Examples of creation."""

from __future__ import annotations

from typing import Final

from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.primitives.creation import DimensionSize, Iota
from treadle_ir.testing.examples import example

EXAMPLES: Final = [
    example(Iota((5,), BY_NAME["i32"], 0), label="i32"),
    example(Iota((2, 3), BY_NAME["f32"], 1), label="columns"),
    example(Iota((2, 3), BY_NAME["bf16"], 0), label="rows"),
    example(Iota((4,), BY_NAME["c64"], 0), label="c64"),
    example(Iota((300,), BY_NAME["u8"], 0), label="wraps"),
    example(DimensionSize(7, BY_NAME["i32"]), label="size"),
    example(Iota((0, 3), BY_NAME["u8"], 0), label="empty"),
]

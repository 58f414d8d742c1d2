"""Examples of the memories of a device, and of orders in memory."""

from __future__ import annotations

from typing import Final

from treadle_ir.primitives.memory import DEVICE_MEMORY, LayoutConstraint, ToMemory
from treadle_ir.testing.examples import example

EXAMPLES: Final = [
    example(ToMemory("pinned_host"), "f32[2,3]", label="host"),
    example(ToMemory(DEVICE_MEMORY), "f64[3]", label="device"),
    example(ToMemory("pinned_host"), "c64[]", label="complex"),
    example(ToMemory("pinned_host"), "bf16[4]", label="half"),
    example(ToMemory("pinned_host"), "bool[0]", label="empty"),
    example(ToMemory("pinned_host"), "i32[2]", label="integers"),
    example(ToMemory("pinned_host"), "key<fry>[2]", label="keys"),
    example(ToMemory("pinned_host"), "key<rbg>[2]", label="wide-keys"),
    example(LayoutConstraint((1, 0)), "f32[2,3]", label="columns"),
    example(LayoutConstraint((2, 0, 1)), "f64[2,3,4]", label="rotated"),
    example(LayoutConstraint((0, 1)), "c64[2,2]", label="rows"),
    example(LayoutConstraint(()), "bf16[]", label="no axes"),
    example(LayoutConstraint((0,)), "bool[0]", label="no elements"),
    example(LayoutConstraint((1, 0)), "i32[2,2]", label="ordered integers"),
]

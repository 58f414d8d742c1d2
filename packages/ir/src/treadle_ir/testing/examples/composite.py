"""Examples of composites and of the platform's index."""

from __future__ import annotations

from typing import Final

from treadle_ir import ops
from treadle_ir.primitives.composite import Composite, PlatformIndex
from treadle_ir.testing.examples import Example, array_type, example
from treadle_ir.tracing.staging import stage

_F64: Final = array_type("f64[3]")
_TANGENT: Final = stage(
    lambda x: [ops.divide(ops.sine(x), ops.cosine(x)), ops.negate(x)], _F64
).program
EXAMPLES: Final[list[Example]] = [
    example(Composite(_TANGENT, "my.tangent"), "f64[3]", domain=(-1.0, 1.0)),
    example(
        Composite(
            _TANGENT,
            "my.tangent",
            2,
            (("flag", True), ("n", -3), ("scale", 0.5), ("text", 'a"\\é')),
        ),
        "f64[3]",
        domain=(-1.0, 1.0),
        label="settings",
    ),
    example(PlatformIndex(("tpu", "cpu"))),
    example(PlatformIndex(("tpu",)), label="none of them"),
    example(PlatformIndex(("cpu",), or_others=False), label="nothing for others"),
]

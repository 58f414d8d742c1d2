"""Examples of parts of programs with attributes."""

from __future__ import annotations

from typing import Final

from treadle_ir import ops
from treadle_ir.primitives.metadata import ValueMetadata, XlaMetadata
from treadle_ir.testing.examples import Example, array_type, example
from treadle_ir.tracing.staging import stage

_F64: Final = array_type("f64[3]")
_PROGRAM: Final = stage(
    lambda x, y: [ops.multiply(ops.sine(x), y), ops.negate(x)], _F64, _F64
).program
EXAMPLES: Final[list[Example]] = [
    example(XlaMetadata(_PROGRAM, (("a", "b"),)), "f64[3]", "f64[3]"),
    example(
        XlaMetadata(_PROGRAM, (("_xla_compute_type", "host"), ("text", 'a"\\é'))),
        "f64[3]",
        "f64[3]",
        label="several",
    ),
    example(
        XlaMetadata(_PROGRAM, (("a", "b"),), (("a", "c"),)), "f64[3]", "f64[3]", label="derivatives"
    ),
    example(ValueMetadata((("a", "b"),)), "f64[3]"),
]

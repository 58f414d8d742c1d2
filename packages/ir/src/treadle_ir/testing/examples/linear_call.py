"""Examples of linear calls: products by a residual."""

from __future__ import annotations

from typing import Final

from treadle_ir import ops
from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.testing.examples import Example, array_type, example
from treadle_ir.tracing.array import Operand
from treadle_ir.tracing.staging import stage


def _scaled(kind: str) -> LinearCall:
    """Return `r * x`, which is its own transpose."""
    of = array_type(kind)
    program = stage(lambda r, x: [ops.multiply(r, x)], of, of).program
    return LinearCall(program, program, 1)


def _mixed(r: Operand, x: Operand, y: Operand) -> list[Operand]:
    scaled = ops.multiply(ops.sine(r), x)
    return [ops.reduce_add(scaled, axes=(0,)), ops.add(scaled, y), ops.negate(y)]


def _mixed_back(r: Operand, ct_sum: Operand, ct: Operand, ct_minus: Operand) -> list[Operand]:
    all_of_it = ops.add(ops.broadcast_in_dim(ct_sum, shape=(3,), dimensions=()), ct)
    return [ops.multiply(ops.sine(r), all_of_it), ops.subtract(ct, ct_minus)]


_VECTOR, _SCALAR = array_type("f64[3]"), array_type("f64[]")
EXAMPLES: Final[list[Example]] = [
    example(
        LinearCall(
            stage(_mixed, *[_VECTOR] * 3).program,
            stage(_mixed_back, _VECTOR, _SCALAR, _VECTOR, _VECTOR).program,
            1,
        ),
        "f64[3]",
        "f64[3]",
        "f64[3]",
    ),
    example(_scaled("f32[3]"), "f32[3]", "f32[3]"),
    example(_scaled("f64[]"), "f64[]", "f64[]"),
    example(_scaled("f64[1]"), "f64[1]", "f64[1]"),
    example(_scaled("f64[0]"), "f64[0]", "f64[0]", label="empty"),
    example(_scaled("c128[2]"), "c128[2]", "c128[2]"),
]

"""Examples of calls: small programs, staged when this module is imported."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ops
from treadle_ir.core.flows import Flags
from treadle_ir.primitives.call import (
    Call,
    Checkpoint,
    CheckpointName,
    CustomJvpCall,
    CustomVjpCall,
    CustomVjpRule,
    FlatBackward,
    Given,
    OptimizationBarrier,
    StopGradient,
)
from treadle_ir.testing.examples import Example, array_type, example
from treadle_ir.tracing.array import Operand, Operands
from treadle_ir.tracing.staging import stage

_F32: Final = array_type("f32[3]")
_F64: Final = array_type("f64[3]")


def _function(x: Operand, y: Operand) -> list[Operand]:
    product = ops.multiply(ops.sine(x), y)
    return [ops.tanh(product), ops.exponential(x), product]


_PROGRAM: Final = stage(_function, _F32, _F32).program
_DOUBLE: Final = stage(_function, _F64, _F64).program


def _product(x: Operand, y: Operand) -> list[Operand]:
    return [ops.multiply(x, y)]


def _product_jvp(primals: Operands, tangents: Given) -> tuple[Operands, Given]:
    (x, y), (dx, dy) = primals, tangents
    parts = [ops.multiply(d, by) for d, by in ((dx, y), (dy, x)) if d is not None]
    return _product(x, y), [ops.add(*parts) if len(parts) == 2 else parts[0] if parts else None]


def _product_backward(residuals: Operands, cotangents: Given) -> Given:
    (x, y), (ct,) = residuals, cotangents
    return [None, None] if ct is None else [ops.multiply(ct, y), ops.multiply(ct, x)]


def _product_forward(
    primals: Operands, perturbed: Flags
) -> tuple[Operands, Operands, FlatBackward]:
    return _product(*primals), primals, _product_backward


_JVP: Final = CustomJvpCall("product", _product, _product_jvp).staged((_F32, _F32))[0]
_RULE: Final = CustomVjpRule(_product_forward)
_VJP: Final = CustomVjpCall("product", _product, _RULE).staged((_F32, _F32))[0]


def _draw(key: Operand, x: Operand) -> list[Operand]:
    noise = ops.convert(ops.random_bits(key, shape=(3,), bit_width=8), dtype=_F32.dtype)
    return [ops.multiply(x, noise), ops.random_fold_in(key, np.uint32(1))]


_DRAW: Final = stage(_draw, array_type("key<fry>[]"), _F32).program


def _keeps_sine(primitive: object) -> bool:
    return getattr(primitive, "name", "") == "sine"


EXAMPLES: Final[list[Example]] = [
    example(Call(_PROGRAM, "function"), "f32[3]", "f32[3]"),
    example(Call(_DOUBLE, "function"), "f64[3]", "f64[3]"),
    example(Call(_PROGRAM, "function", "lowering"), "f32[3]", "f32[3]", label="in place"),
    example(Call(_PROGRAM, "function", "xla_early"), "f32[3]", "f32[3]", label="by XLA"),
    example(Checkpoint(_PROGRAM), "f32[3]", "f32[3]"),
    example(Checkpoint(_DOUBLE), "f64[3]", "f64[3]"),
    example(
        Checkpoint(_PROGRAM, stores=True, recomputes=True, prevent_cse=False),
        "f32[3]",
        "f32[3]",
        label="derivative",
    ),
    example(Checkpoint(_PROGRAM, _keeps_sine), "f32[3]", "f32[3]", label="policy", parses=False),
    example(_JVP, "f32[3]", "f32[3]", parses=False),
    example(_VJP, "f32[3]", "f32[3]", parses=False),
    example(OptimizationBarrier(), "f32[3]", "i32[2]"),
    example(StopGradient(), "f32[3]", differentiable=False),
    example(CheckpointName("kept"), "f32[3]"),
    example(OptimizationBarrier(), "f32[3]", "key<fry>[2]", label="keys"),
    example(OptimizationBarrier(), "f32[3]", "key<rbg>[2]", label="wide keys"),
    example(StopGradient(), "key<fry>[2]"),
    example(CheckpointName("kept"), "key<fry>[]", label="keys"),
    example(Call(_DRAW, "draw"), "key<fry>[]", "f32[3]"),
    example(Checkpoint(_DRAW), "key<fry>[]", "f32[3]", differentiable=False, label="keys"),
]

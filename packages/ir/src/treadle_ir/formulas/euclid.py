"""Euclid's algorithm on whole arrays: the program that lowers greatest common divisors."""

from __future__ import annotations

import functools

from treadle_ir import ops
from treadle_ir.array import Operand
from treadle_ir.dtypes import is_signed
from treadle_ir.primitives.control import While
from treadle_ir.program import Program
from treadle_ir.stage import stage
from treadle_ir.trace import bind
from treadle_ir.types import ArrayType


@functools.lru_cache(maxsize=64)
def greatest_common_divisor_program(type: ArrayType) -> Program:
    """As long as a second number is not 0, it comes first, and second what it leaves over of the first."""
    zero, one = type.dtype.type(0), type.dtype.type(1)
    axes = tuple(range(len(type.shape)))

    def unfinished(first: Operand, second: Operand) -> list[Operand]:
        return [ops.reduce_or(ops.compare(second, zero, direction="ne"), axes=axes)]

    def step(first: Operand, second: Operand) -> list[Operand]:
        done = ops.compare(second, zero, direction="eq")
        left = ops.remainder(first, ops.select(done, one, second))
        return [ops.select(done, first, second), ops.select(done, zero, left)]

    condition, body = stage(unfinished, type, type), stage(step, type, type)
    assert not condition.captured
    assert not body.captured
    loop = While(condition.program, body.program, 0, 0)

    def whole(x: Operand, y: Operand) -> list[Operand]:
        result = bind(loop, x, y)[0]
        return [ops.abs(result) if is_signed(type.dtype) else result]

    return stage(whole, type, type).program

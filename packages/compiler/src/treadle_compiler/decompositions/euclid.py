"""Euclid's algorithm on whole arrays, as a program."""

from __future__ import annotations

import functools

from treadle_ir import ArrayType, Operand, Program, bind, ops, stage
from treadle_ir.core.dtypes import is_signed


@functools.lru_cache(maxsize=64)
def greatest_common_divisor_program(type: ArrayType) -> Program:
    """Return the program that replaces (x, y) by (y, x mod y) until y is 0, for operands of `type`."""
    from treadle_ir.primitives.control import While  # noqa: PLC0415 - few programs have loops

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

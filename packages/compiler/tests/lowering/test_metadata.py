"""Attributes for XLA: on which operations they are written."""

from __future__ import annotations

import re

import numpy as np

from treadle_compiler import lower_program
from treadle_ir import ArrayType, Program, ops, stage
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.memory import to_memory
from treadle_ir.primitives.metadata import METADATA
from treadle_ir.tracing import Function
from treadle_ir.tracing.array import Operand
from treadle_ir.tracing.trace import bind

_TYPE = ArrayType((3,), np.dtype("f4"))


def _lines(program: Program, op: str) -> list[str]:
    return re.findall(f'.*"{re.escape(op)}".*', lower_program(program).text)


def _program(function: Function) -> Program:
    return stage(function, _TYPE).program


def test_operations_of_a_block_have_them_and_those_after_it_have_not():
    def function(x: Operand) -> list[Operand]:
        with METADATA.override((("a", "b"), ("c", 'd"\n'))):
            y = ops.sine(x)
        return [ops.negate(y)]

    (sine,) = _lines(_program(function), "stablehlo.sine")
    assert 'mhlo.frontend_attributes = {"a" = "b", "c" = "d\\22\\0A"}' in sine
    (negate,) = _lines(_program(function), "stablehlo.negate")
    assert "frontend_attributes" not in negate


def test_constants_of_a_block_are_its_own():
    def function(x: Operand) -> list[Operand]:
        with METADATA.override((("a", "b"),)):
            y = ops.multiply(x, np.float32(3))
        return [ops.add(y, np.float32(3))]

    constants = _lines(_program(function), "stablehlo.constant")
    assert 0 < len([each for each in constants if "frontend" in each]) < len(constants)


def test_a_function_called_with_and_without_them_is_two():
    def long(x: Operand) -> list[Operand]:
        for _ in range(8):
            x = ops.sine(x)
        return [x]

    called = Call(_program(long))

    def function(x: Operand) -> list[Operand]:
        with METADATA.override((("a", "b"),)):
            (y,) = bind(called, x)
        return [*bind(called, y), *bind(called, x)]

    sines = _lines(_program(function), "stablehlo.sine")
    assert [("frontend" in each) for each in sines].count(True) == 8
    assert len(sines) == 16


def test_the_innermost_counts_by_name_and_the_others_stay():
    def inner(x: Operand) -> list[Operand]:
        with METADATA.override((("a", "inner"),)):
            return [ops.sine(x)]

    called = Call(_program(inner))

    def outer(x: Operand) -> list[Operand]:
        with METADATA.override((("a", "outer"), ("b", "outer"))):
            return [*bind(called, x)]

    (sine,) = _lines(_program(outer), "stablehlo.sine")
    assert '{"a" = "inner", "b" = "outer"}' in sine


def test_what_an_operation_says_itself_stays():
    def function(x: Operand) -> list[Operand]:
        with METADATA.override((("a", "b"),)):
            return [to_memory(x, kind="pinned_host")]

    (moved,) = _lines(_program(function), "stablehlo.custom_call")
    assert '{_xla_buffer_placement = "pinned_host", "a" = "b"}' in moved


def test_what_an_operation_says_itself_comes_before_what_the_user_says_by_the_same_name():
    inner = _program(lambda x: [ops.sine(x)])

    def function(x: Operand) -> list[Operand]:
        with METADATA.override((("able", "other"), ("inlineable", "true"))):
            return list(bind(Call(inner, "inner", "xla_late"), x))

    (called,) = _lines(_program(function), "func.call")
    assert '{inlineable = "xla_late", "able" = "other"}' in called

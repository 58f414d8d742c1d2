"""Parts of programs with attributes: what is written down while attributes are in force."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArrayType, Program, equal_programs, ops, stage
from treadle_ir.primitives.metadata import METADATA, XlaMetadata
from treadle_ir.text import parse_program
from treadle_ir.tracing.array import Operand

_TYPE = ArrayType((3,), np.dtype("f4"))


def _staged(**metadata: str) -> Program:
    def function(x: Operand) -> list[Operand]:
        with METADATA.override(tuple(metadata.items())):
            y = ops.multiply(ops.add(x, x), np.float32(2))
        return [ops.negate(y)]

    return stage(function, _TYPE).program


def test_each_equation_of_a_block_has_the_attributes_and_those_after_it_have_none():
    added, multiplied, negated = [each.primitive for each in _staged(a="b").equations]
    assert isinstance(added, XlaMetadata)
    assert isinstance(multiplied, XlaMetadata)
    assert added.metadata == multiplied.metadata == (("a", "b"),)
    assert negated.name == "negate"


def test_an_operand_that_is_used_twice_goes_in_once_and_literals_stay_inside():
    added, multiplied, _ = _staged(a="b").equations
    assert len(added.operands) == len(multiplied.operands) == 1


def test_equal_programs_with_other_attributes_are_not_equal():
    assert equal_programs(_staged(a="b"), _staged(a="b"))
    assert not equal_programs(_staged(a="b"), _staged(a="c"))
    assert not equal_programs(_staged(a="b"), _staged())


def test_attributes_are_in_the_text():
    program = _staged(a="b")
    assert equal_programs(parse_program(str(program)), program)

"""Functions whose user says how they are partitioned: what is left of that in other programs."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArrayType, equal_programs, interpret, ops, stage
from treadle_ir.core import is_deferred
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.testing.examples.partitioned import Unasked
from treadle_ir.tracing.trace import bind

_TYPE = ArrayType((3,), np.dtype("f4"))
_INNER = stage(lambda x: [ops.sine(x)], _TYPE).program


def test_a_transformed_program_is_a_plain_call():
    call = CustomPartitioning(_INNER, "f", Unasked())
    assert call.rebuilt(_INNER, (0,)) == Call(_INNER, "f")


def test_programs_are_equal_if_the_same_is_said():
    def calling(said: object) -> object:
        primitive = CustomPartitioning(_INNER, "f", said)  # type: ignore[arg-type]
        return stage(lambda x: bind(primitive, x), _TYPE).program

    first, again, other = calling(Unasked()), calling(Unasked()), calling(object())
    assert equal_programs(first, again)
    assert not equal_programs(first, other)
    assert is_deferred(first)


def test_its_value_is_the_functions():
    x = np.ones(3, np.float32)
    program = stage(lambda x: bind(CustomPartitioning(_INNER, "f", Unasked()), x), _TYPE).program
    (found,) = interpret(program, x)
    np.testing.assert_allclose(np.asarray(found), np.sin(x), rtol=1e-6)

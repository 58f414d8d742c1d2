from __future__ import annotations

import gc
import weakref

import numpy as np

from treadle_batching import Axis
from treadle_batching.programs import batch_program
from treadle_ir import Program, interpret, ops, stage
from treadle_ir.testing.examples import array_type

V = array_type("f64[3]")
AXIS = Axis(2)


def made() -> Program:
    return stage(lambda x, y: [ops.add(x, y), ops.sine(y), x], V, V).program


def test_batches_are_found_where_they_happen_to_be() -> None:
    batched = batch_program(made(), AXIS, (1, None))
    assert batched.dims == (1, None, 1)
    x, y = np.arange(6.0).reshape(3, 2), np.ones(3)
    total, sine, same = interpret(batched.program, *batched.captured, x, y)
    np.testing.assert_array_equal(total, x + 1)
    np.testing.assert_array_equal(sine, np.sin(y))
    np.testing.assert_array_equal(same, x)


def test_forced_batches_are_at_axis_0() -> None:
    batched = batch_program(made(), AXIS, (1, None), (False, True, False))
    assert batched.dims == (0, 0, 0)
    x, y = np.arange(6.0).reshape(3, 2), np.ones(3)
    total, sine, same = interpret(batched.program, *batched.captured, x, y)
    np.testing.assert_array_equal(total, x.T + 1)
    np.testing.assert_array_equal(sine, [np.sin(y)] * 2)
    np.testing.assert_array_equal(same, x.T)


def test_made_once_and_gone_with_the_program() -> None:
    program = made()
    assert batch_program(program, AXIS, (0, 0)) is batch_program(program, AXIS, (0, 0))
    assert batch_program(program, AXIS, (0, 0)) is not batch_program(program, Axis(3), (0, 0))
    alive = weakref.ref(program)
    del program
    gc.collect()
    assert alive() is None

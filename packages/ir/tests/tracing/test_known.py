"""Arrays that a function makes of known values while it is staged."""

from __future__ import annotations

import pickle

import numpy as np

from treadle_ir import Array, ArrayType, Operands, ops, stage
from treadle_ir.calling import as_array
from treadle_ir.tracing import KnownTracer, Tracer, as_staged, ensure_compile_time_eval

ELEMENTS = np.array([1.0, 2.0], np.float32)
TYPE = ArrayType((2,), np.dtype(np.float32))


def test_they_are_tracers_only_while_something_is_staged() -> None:
    x = as_array(ELEMENTS)
    assert as_staged(x) is x
    seen: list[Array] = []

    def function(y: Array) -> Operands:
        seen.append(as_staged(x))
        with ensure_compile_time_eval():
            seen.append(as_staged(x))
        seen.append(as_staged(y))
        return [y]

    stage(function, TYPE)
    known, evaluated, traced = seen
    assert isinstance(known, KnownTracer)
    assert evaluated is x
    assert isinstance(traced, Tracer)
    assert not isinstance(traced, KnownTracer)


def test_a_program_captures_the_array_once() -> None:
    x = as_array(ELEMENTS)
    staged = stage(lambda y: [ops.add(ops.multiply(as_staged(x), y), as_staged(x))], TYPE)
    assert len(staged.captured) == 1
    assert staged.captured[0] is x


def test_the_elements_are_known_then_and_later() -> None:
    kept: list[Array] = []

    def function(y: Array) -> Operands:
        x = as_staged(as_array(ELEMENTS))
        kept.append(x)
        assert x.tolist() == [1.0, 2.0]
        return [y]

    stage(function, TYPE)
    np.testing.assert_array_equal(np.asarray(kept[0]), ELEMENTS)
    np.testing.assert_array_equal(np.asarray(ops.add(kept[0], kept[0])), 2 * ELEMENTS)
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(kept[0]))), ELEMENTS)

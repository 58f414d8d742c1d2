"""Loops of programs, without a compiler or NumPy's functions: programs that are staged from operations."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_insight import Subject, loops_of, report_on
from treadle_insight.unrolled import SMALL
from treadle_ir import Array, ArrayType, Program, ops, stage

F4 = ArrayType((3,), np.dtype("f4"))


def unrolled(count: int) -> Program:
    def f(x: Array, w: Array) -> list[Array]:
        for _ in range(count):
            x = ops.multiply(ops.sine(x), w)
        return [x]

    return stage(f, F4, F4).program


def test_a_loop() -> None:
    (loop,) = loops_of(unrolled(150), ["argument x", "argument w"])
    assert (loop.main.period, loop.main.copies, loop.others, loop.share) == (2, 150, (), 1.0)
    assert [str(each) for each in loop.carried] == ["`x` f32[3]"]
    assert loop.fixed == ("w",)
    assert loop.different == ()
    assert loop.written is not None
    assert loop.written.word == "for"


@pytest.mark.parametrize(("count", "found"), [(SMALL // 2, 0), (SMALL // 2 + 1, 1)])
def test_small_programs_are_not_looked_at_unasked(count: int, found: int) -> None:
    assert len(loops_of(unrolled(count))) == found


def test_small_programs_are_looked_at_on_request() -> None:
    assert len(report_on(Subject.of_program(unrolled(40))).findings("loop.unrolled")) == 1


def test_a_value_of_the_iteration_before_the_last() -> None:
    def f(x: Array) -> list[Array]:
        older, old = x, ops.sine(x)
        for _ in range(60):
            older, old = old, ops.add(ops.sine(old), older)
        return [old]

    (loop,) = loops_of(stage(f, F4).program, small=0)
    assert loop.reaches_back
    (finding,) = report_on(Subject.of_program(stage(f, F4).program)).findings("loop")
    assert "earlier iterations" in finding.fix
    assert not finding.code


def test_a_while_loop() -> None:
    def f(x: Array) -> list[Array]:
        count = 0
        while count < 100:
            x = ops.sine(x)
            count += 1
        return [x]

    (finding,) = report_on(Subject.of_program(stage(f, F4).program)).findings("loop")
    assert finding.what.startswith("while at test_unrolled.py:")
    assert "while_loop" in finding.fix


def test_a_loop_that_collects_has_no_code() -> None:
    def f(x: Array) -> list[Array]:
        found = []
        for _ in range(100):
            found.append(ops.sine(x))
        return found

    (finding,) = report_on(Subject.of_program(stage(f, F4).program)).findings("loop")
    assert "carried: nothing" in finding.what
    assert "vmap" in finding.fix
    assert not finding.code


def test_copies_that_may_come_from_a_pytree_are_no_loop() -> None:
    def f(x: Array) -> list[Array]:
        return list(map(mapped, [x] * 100))

    def mapped(x: Array) -> Array:
        return ops.sine(ops.add(x, x))

    program = stage(f, F4).program
    assert not loops_of(program, small=0)
    (copies,) = loops_of(program, small=0, unsure=True)
    assert not copies.is_sure

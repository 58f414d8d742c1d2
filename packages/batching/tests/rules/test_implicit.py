"""Batching of solutions."""

from __future__ import annotations

from treadle_batching import Axis, batch_flat
from treadle_ir import Operand, Operands, bind, ops, stage
from treadle_ir.primitives.implicit import Root
from treadle_ir.testing.examples import array_type


def test_roots_of_two_functions_that_one_program_finds_are_batched_apart() -> None:
    x = array_type("f64[]")
    find = stage(lambda x: [x], x).program
    slope = stage(lambda x, y: [y], x, x).program
    functions = [
        stage(lambda x: [ops.sine(x)], x).program,
        stage(lambda x: [ops.cosine(x)], x).program,
    ]

    def both(x: Operand) -> Operands:
        return [y for each in functions for y in bind(Root(each, find, slope, 0), x)]

    program = stage(lambda x: batch_flat(both, Axis(2), [x], [0])[0], array_type("f64[2]")).program
    found = [each.primitive for each in program.equations]
    assert [type(each) for each in found] == [Root, Root]
    names = [each.function.equations[0].primitive.name for each in found if isinstance(each, Root)]
    assert names == ["sine", "cosine"]

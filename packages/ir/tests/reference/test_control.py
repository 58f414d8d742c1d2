from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import bind, ops, stage
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.testing.examples import array_type

F = array_type("f32[]")
TURN = stage(lambda c, x: [ops.add(c, x), ops.multiply(c, x)], F, F).program
XS = np.arange(4, dtype=np.float32)


def test_scan_is_a_loop() -> None:
    carry, ys = bind(Scan(TURN, 4, 0, 1), np.float32(1), XS)
    assert carry == 7
    np.testing.assert_array_equal(ys, [0, 1, 4, 12])


def test_reverse_scan_keeps_the_order_of_its_elements() -> None:
    carry, ys = bind(Scan(TURN, 4, 0, 1, reverse=True), np.float32(1), XS)
    assert carry == 7
    np.testing.assert_array_equal(ys, [0, 6, 8, 3])


def test_scan_without_iterations() -> None:
    carry, ys = bind(Scan(TURN, 0, 0, 1), np.float32(1), XS[:0])
    assert carry == 1
    assert np.shape(ys) == (0,)


@pytest.mark.parametrize(("index", "expected"), [(-5, 0), (0, 0), (1, 1), (2, 2), (9, 2)])
def test_case_clamps_its_index(index: int, expected: int) -> None:
    branches = tuple(
        stage(lambda x, i=i: [ops.multiply(x, np.float32(i))], F).program for i in range(3)
    )
    assert bind(Case(branches), np.int32(index), np.float32(1))[0] == expected


@pytest.mark.parametrize(("bound", "expected"), [(None, 16), (0, 1), (2, 4), (9, 16)])
def test_while_ends_at_its_bound(bound: int | None, expected: int) -> None:
    below = stage(lambda x: [ops.compare(x, np.float32(10), direction="lt")], F).program
    twice = stage(lambda x: [ops.add(x, x)], F).program
    assert bind(While(below, twice, trip_bound=bound), np.float32(1))[0] == expected


def test_only_the_chosen_branch_runs() -> None:
    endless = stage(
        lambda x: bind(
            While(
                stage(lambda y: [ops.compare(y, y, direction="eq")], F).program,
                stage(lambda y: [y], F).program,
            ),
            x,
        ),
        F,
    ).program
    sine = stage(lambda x: [ops.sine(x)], F).program
    assert bind(Case((sine, endless)), np.int32(0), np.float32(0))[0] == 0


@pytest.mark.parametrize("kind", ["scan", "case", "call", "while"])
def test_nesting_may_be_deep(kind: str) -> None:
    below = stage(lambda x: [ops.compare(x, np.float32(1), direction="lt")], F).program
    program = stage(lambda x: [ops.add(x, np.float32(1))], F).program
    for _ in range(400):
        inner = program
        around = {
            "scan": lambda x, inner=inner: bind(Scan(inner, 1, 0, 1), x),
            "case": lambda x, inner=inner: bind(Case((inner,)), np.int32(0), x),
            "call": lambda x, inner=inner: bind(Call(inner), x),
            "while": lambda x, inner=inner: bind(While(below, inner), x),
        }[kind]
        program = stage(around, F).program
    assert bind(Call(program), np.float32(0))[0] == 1

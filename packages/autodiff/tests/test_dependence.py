"""Which results of calls, loops and branches depend on an operand."""

from __future__ import annotations

import numpy as np

from treadle_autodiff.dependence import dependent, independent_results
from treadle_ir import ArrayType, bind, ops, stage
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.control import Case, Scan, While

F32 = ArrayType((), np.dtype(np.float32))
PAIR = stage(lambda x, t: [ops.sine(x), ops.multiply(ops.cosine(x), t)], F32, F32).program


def test_calls():
    call = Call(PAIR, "pair")
    assert dependent(call, [False, True]) == (False, True)
    assert dependent(call, [True, False]) == (True, True)
    assert dependent(call, [False, False]) == (False, False)


def test_branches():
    other = stage(lambda x, t: [ops.negate(x), ops.negate(x)], F32, F32).program
    case = Case((PAIR, other))
    assert dependent(case, [False, False, True]) == (False, True)
    assert dependent(case, [True, False, False]) == (True, True)


def test_loops_carry_it_on():
    # after two iterations, the third carry depends on the first
    turn = stage(lambda a, b, c, x: [a, a, b, x], F32, F32, F32, F32).program
    scan = Scan(turn, length=4, carries=3)
    assert dependent(scan, [True, False, False, False]) == (True, True, True, False)
    assert dependent(scan, [False, False, True, False]) == (False, False, False, False)
    assert dependent(scan, [False, False, False, True]) == (False, False, False, True)
    going = stage(lambda a, b: [ops.compare(a, np.float32(1), direction="lt")], F32, F32).program
    loop = While(going, stage(lambda a, b: [a, b], F32, F32).program)
    assert dependent(loop, [False, True]) == (False, True)
    assert dependent(loop, [True, False]) == (True, True)


def test_what_does_not_depend_on_an_unknown_operand_is_computed():
    x = np.float32(0.5)
    outer = stage(lambda x, t: bind(Call(PAIR, "pair"), x, t), F32, F32).program
    found = independent_results(Call(outer, "outer"), [x, None], [F32, F32])
    assert list(found) == [0]
    np.testing.assert_allclose(np.asarray(found[0]), np.sin(x), rtol=1e-6)
    assert independent_results(Call(outer, "outer"), [None, x], [F32, F32]) == {}


def test_a_loop_of_no_iterations_returns_what_it_starts_with():
    body = stage(lambda a, b: [np.float32(0), b, a], F32, F32).program
    assert dependent(Scan(body, length=2, carries=2), [True, True]) == (False, True, True)
    assert dependent(Scan(body, length=0, carries=2), [True, True]) == (True, True, True)
    assert dependent(Scan(body, length=0, carries=2), [True, False]) == (True, False, True)

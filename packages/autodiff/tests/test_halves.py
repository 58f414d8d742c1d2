"""Loops and branches with effects in two halves."""

from __future__ import annotations

import numpy as np

from treadle_autodiff.halves import halves
from treadle_ir import ArrayType, Program, bind, ops, stage
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.effectful import DebugCallback, HostFunction
from treadle_ir.tracing.array import Operand

F32 = ArrayType((), np.dtype(np.float32))
TOLD = DebugCallback(HostFunction(lambda x: (), ()))


def told(x: Operand, t: Operand) -> list[Operand]:
    bind(TOLD, x)
    bind(TOLD, ops.negate(t))
    return [ops.sine(x), ops.multiply(ops.cosine(x), t)]


BODY = stage(told, F32, F32).program
QUIET = stage(lambda x, t: [x, t], F32, F32).program


def calls(program: Program) -> list[str]:
    """What the callbacks of a program are given: the parameter, or what is made of the tangent."""
    return [
        "primal" if equation.operands[0] in program.parameters else "tangent"
        for equation in program.equations
        if isinstance(equation.primitive, DebugCallback)
    ]


def test_each_half_has_its_effects() -> None:
    found = halves(Scan(BODY, 3, 0, 2), [False, True])
    assert found is not None
    now, later = found
    assert isinstance(now, Scan)
    assert isinstance(later, Scan)
    assert (calls(now.body), calls(later.body)) == (["primal"], ["tangent"])


def test_branches() -> None:
    found = halves(Case((QUIET, BODY)), [False, False, True])
    assert found is not None
    now, later = found
    assert isinstance(now, Case)
    assert isinstance(later, Case)
    assert [calls(branch) for branch in now.branches] == [[], ["primal"]]
    assert [calls(branch) for branch in later.branches] == [[], ["tangent"]]


def test_a_tangent_that_says_which_way_to_go_has_no_halves() -> None:
    assert halves(Case((QUIET, BODY)), [True, False, True]) is None
    below = stage(lambda x, t: [ops.compare(t, np.float32(3), direction="lt")], F32, F32).program
    assert halves(While(below, BODY), [False, True]) is None


def test_without_effects_there_is_nothing_to_part() -> None:
    assert halves(Scan(QUIET, 3, 0, 2), [False, True]) is None

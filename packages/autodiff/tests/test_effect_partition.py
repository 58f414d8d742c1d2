"""Loops and branches, partitioned by their effects."""

from __future__ import annotations

import numpy as np

from treadle_autodiff.effect_partition import partition_effects
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
    """Return the operands of a program's callbacks: the parameter, or a value that depends on the tangent."""
    return [
        "primal" if equation.operands[0] in program.parameters else "tangent"
        for equation in program.equations
        if isinstance(equation.primitive, DebugCallback)
    ]


def test_each_half_has_its_effects() -> None:
    found = partition_effects(Scan(BODY, 3, 0, 2), [False, True])
    assert found is not None
    now, later = found
    assert isinstance(now, Scan)
    assert isinstance(later, Scan)
    assert (calls(now.body), calls(later.body)) == (["primal"], ["tangent"])


def test_branches() -> None:
    found = partition_effects(Case((QUIET, BODY)), [False, False, True])
    assert found is not None
    now, later = found
    assert isinstance(now, Case)
    assert isinstance(later, Case)
    assert [calls(branch) for branch in now.branches] == [[], ["primal"]]
    assert [calls(branch) for branch in later.branches] == [[], ["tangent"]]


def test_a_branch_that_depends_on_a_tangent_is_not_partitioned() -> None:
    assert partition_effects(Case((QUIET, BODY)), [True, False, True]) is None
    below = stage(lambda x, t: [ops.compare(t, np.float32(3), direction="lt")], F32, F32).program
    assert partition_effects(While(below, BODY), [False, True]) is None


def test_without_effects_there_is_nothing_to_part() -> None:
    assert partition_effects(Scan(QUIET, 3, 0, 2), [False, True]) is None


def test_loops_within_loops() -> None:
    inner = Scan(BODY, 3, 0, 2)
    outer = stage(lambda x, t: bind(inner, x, t), F32, F32).program
    found = partition_effects(Scan(outer, 2, 0, 2), [False, True])
    assert found is not None
    for half, expected in zip(found, ("primal", "tangent"), strict=True):
        assert isinstance(half, Scan)
        loops = [each.primitive for each in half.body.equations]
        bodies = [loop.body for loop in loops if isinstance(loop, Scan)]
        assert [calls(body) for body in bodies] == [[expected]]

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import Operand, Operands, bind, interpret, ops, stage
from treadle_ir.primitives.control import Case
from treadle_ir.testing.examples import array_type

Same = Callable[..., None]
F = array_type("f64[]")
V = array_type("f64[3]")
RANDOM = np.random.default_rng(7)
B, C = RANDOM.normal(size=3), RANDOM.normal(size=3)


def total(x: Operand) -> Operand:
    return ops.reduce_add(x, axes=(0,))


BRANCHES: list[Callable[[Operand, Operand], list[Operand]]] = [
    lambda x, y: [ops.multiply(ops.sine(x), y), x],
    lambda x, y: [ops.exponential(x), ops.multiply(x, x)],
    lambda x, y: [y, ops.tanh(ops.multiply(x, y))],
]
PROGRAMS = tuple(stage(branch, V, V).program for branch in BRANCHES)


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 5])
def test_case_is_differentiated_as_its_branch(
    index: int, assert_same: Same, assert_same_derivatives: Same, assert_same_twice: Same
) -> None:
    def scalar(results: Operands) -> Operand:
        return ops.add(total(ops.sine(results[0])), total(ops.square(results[1])))

    def case(x: Operand, y: Operand) -> Operand:
        return scalar(bind(Case(PROGRAMS), np.int32(index), x, y))

    def branch(x: Operand, y: Operand) -> Operand:
        return scalar(BRANCHES[min(max(index, 0), 2)](x, y))

    assert_same_derivatives(case, branch, (B, C), (C, B))
    assert_same([grad(case)(B, C)], [grad(branch)(B, C)])
    assert_same_twice(case, branch, (B, C), (C, B))


def test_branches_share_places_for_residuals() -> None:
    """Two branches that store one array each store it in the same place; operands are not stored."""
    branches = (
        stage(lambda x: [ops.sine(x)], V).program,
        stage(lambda x: [ops.exponential(x)], V).program,
        stage(lambda x: [ops.multiply(x, x)], V).program,
    )

    def loss(x: Operand) -> Operand:
        return total(bind(Case(branches), np.int32(0), x)[0])

    program = stage(lambda x: [grad(loss)(x)], V).program
    forward = next(e.primitive for e in program.equations if e.primitive.name == "case")
    assert isinstance(forward, Case)
    assert forward.branches[0].result_types == (V, V)


@pytest.mark.parametrize("depth", [200])
def test_derivatives_of_deep_nesting(depth: int, assert_same: Same) -> None:
    program = stage(lambda x: [ops.sine(x)], F).program
    for _ in range(depth):
        inner = program
        program = stage(lambda x, inner=inner: bind(Case((inner,)), np.int32(0), x), F).program
    assert_same([grad(lambda x: interpret(program, x)[0])(np.float64(0.5))], [np.cos(0.5)])

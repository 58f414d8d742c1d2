from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import pytest

from treadle_ir import (
    ArgumentError,
    ArrayType,
    DTypeError,
    Effect,
    Effects,
    Primitive,
    Program,
    ShapeError,
    Type,
    bind,
    ops,
    stage,
)
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.testing.examples import array_type
from treadle_ir.tracing import Function

F = array_type("f32[]")
INDEX = array_type("i32[]")
V = array_type("f32[3]")
WEAK = ArrayType((), np.dtype(np.float32), True)


def program(function: Function, *types: Type) -> Program:
    return stage(function, *types).program


SINE = program(lambda x: [ops.sine(x)], V)
SUM = program(lambda x: [ops.reduce_add(x, axes=(0,))], V)
BELOW = program(lambda x: [ops.compare(x, np.float32(3), direction="lt")], F)
TWICE = program(lambda x: [ops.add(x, x)], F)
ADD = program(lambda c, x: [ops.add(c, x), x], F, F)


def test_case_c1_needs_a_branch() -> None:
    with pytest.raises(ArgumentError, match="at least one branch"):
        Case(()).infer(INDEX)


@pytest.mark.parametrize("index", ["i64[]", "i32[2]", "bool[]", "f32[]"])
def test_case_c2_index_is_a_scalar_i32(index: str) -> None:
    with pytest.raises(DTypeError, match=r"operand 0 chooses the branch and must be i32\[\]"):
        Case((SINE,)).infer(array_type(index), V)


def test_case_c3_operands_have_the_types_of_parameters() -> None:
    with pytest.raises(
        ShapeError, match=r"case: operand 0 is f32\[\], but branch 0 has f32\[3\] there"
    ):
        Case((SINE,)).infer(INDEX, F)
    with pytest.raises(DTypeError, match=r"operand 0 is i32\[3\]"):
        Case((SINE,)).infer(INDEX, array_type("i32[3]"))
    with pytest.raises(ShapeError, match="there are 2 operands, but branch 0 has 1"):
        Case((SINE,)).infer(INDEX, V, V)


def test_case_c4_branches_return_the_same_types() -> None:
    with pytest.raises(
        ShapeError, match=r"branch 1: result 0 is f32\[\], but branch 0 has f32\[3\]"
    ):
        Case((SINE, SUM)).infer(INDEX, V)


def test_case_result_is_weak_only_if_all_branches_are() -> None:
    weak, strong = program(lambda x: [x], WEAK), program(lambda x: [x], F)
    assert Case((weak, weak)).infer(INDEX, WEAK) == (WEAK,)
    assert Case((weak, strong)).infer(INDEX, WEAK) == (F,)


def test_while_c1_counts() -> None:
    with pytest.raises(ArgumentError, match="2 and 0 operands are constants, but there are 1"):
        While(BELOW, TWICE, 2).infer(F)
    with pytest.raises(ArgumentError, match="trip_bound is -1"):
        While(BELOW, TWICE, trip_bound=-1).infer(F)


def test_while_c2_condition_returns_one_boolean() -> None:
    with pytest.raises(
        DTypeError, match=r"the condition returns f32\[\], but must return bool\[\]"
    ):
        While(TWICE, TWICE).infer(F)
    with pytest.raises(
        ShapeError, match=r"operand 0 is f32\[3\], but the condition has f32\[\] there"
    ):
        While(BELOW, SINE).infer(V)


def test_while_c3_body_returns_the_carries() -> None:
    grows = program(lambda x: [ops.broadcast_in_dim(x, shape=(3,), dimensions=())], F)
    with pytest.raises(ShapeError, match=r"result 0 is f32\[3\], but the carry has f32\[\] there"):
        While(BELOW, grows).infer(F)


def test_scan_c1_counts() -> None:
    with pytest.raises(ArgumentError, match="length is -1 and unroll is 1"):
        Scan(ADD, -1, 0, 1).infer(F, V)
    with pytest.raises(ArgumentError, match="length is 3 and unroll is 0"):
        Scan(ADD, 3, 0, 1, unroll=0).infer(F, V)
    with pytest.raises(ArgumentError, match="2 operands are constants and 1 are carries"):
        Scan(ADD, 3, 2, 1).infer(F, V)


def test_scan_c2_xs_have_a_leading_axis_of_the_length() -> None:
    with pytest.raises(
        ShapeError, match=r"operand 1 is f32\[3\], but must have a leading axis of size 4"
    ):
        Scan(ADD, 4, 0, 1).infer(F, V)
    with pytest.raises(ShapeError, match=r"operand 1 is f32\[\], but must have a leading axis"):
        Scan(ADD, 4, 0, 1).infer(F, F)


def test_scan_c3_body_takes_elements() -> None:
    with pytest.raises(ShapeError, match=r"operand 1 is f32\[2\], but the body has f32\[\] there"):
        Scan(ADD, 3, 0, 1).infer(F, array_type("f32[3,2]"))


def test_scan_c4_body_returns_the_carries_first() -> None:
    with pytest.raises(ShapeError, match="there are 1 results, but the carry has 2"):
        Scan(program(lambda c, d: [c], F, F), 3, 0, 2).infer(F, F)


def test_scan_stacks_ys() -> None:
    assert Scan(ADD, 3, 0, 1).infer(F, V) == (F, V)
    assert Scan(ADD, 3, 0, 1).infer(WEAK, V) == (F, V)


@final
@dataclass(frozen=True)
class Hostile(Effect):
    name: ClassVar[str] = "hostile"
    ordered: ClassVar[bool] = False
    allowed_in_loops: ClassVar[bool] = False
    differentiable: ClassVar[bool] = True


@final
@dataclass(frozen=True)
class Attack(Primitive):
    name: ClassVar[str] = "attack_for_tests"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        return operands

    def effects(self, *operands: Type) -> Effects:
        return frozenset({Hostile()})


def test_effects_not_allowed_in_loops_are_refused() -> None:
    body = program(lambda x: bind(Attack(), x), F)
    for primitive, operands in (
        (Case((body,)), (INDEX, F)),
        (While(BELOW, body), (F,)),
        (Scan(body, 3, 0, 1), (F,)),
    ):
        with pytest.raises(ArgumentError, match="has the effect `hostile`, which has no place"):
            primitive.infer(*operands)

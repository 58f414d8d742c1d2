from collections.abc import Callable

import numpy as np
import pytest

from treadle_ir import ArrayType, Literal, Value, VerifyError
from treadle_ir.analysis.verifier import verify
from treadle_ir.core import Callback
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.core.effects import Effects
from treadle_ir.core.program import Equation, Program
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.elementwise import Add, Sine
from treadle_ir.tracing.builder import Builder

F32 = ArrayType((), BY_NAME["f32"])
V3 = ArrayType((3,), BY_NAME["f32"])
PURE: Effects = frozenset()


def broken(make: Callable[[Value, Value], Program]) -> Program:
    x, y = Value(F32), Value(F32)
    return make(x, y)


def good_body() -> Program:
    build = Builder()
    x = build.parameter(V3)
    return build.program(x)


CASES = {
    "operand 0 is not defined before it is used": lambda x, y: Program(
        (), (Equation(Sine(), (x,), (y,), PURE),), (y,)
    ),
    "result 0 is defined already": lambda x, y: Program(
        (x,), (Equation(Sine(), (x,), (x,), PURE),), (x,)
    ),
    "result 0 has the type": lambda x, y: Program(
        (x,), (Equation(Sine(), (x,), (Value(V3),), PURE),), ()
    ),
    "it has 2 results, but the operation gives 1": lambda x, y: Program(
        (x,), (Equation(Sine(), (x,), (y, Value(F32)), PURE),), ()
    ),
    "its effects are not the effects of the operation": lambda x, y: Program(
        (x,), (Equation(Sine(), (x,), (y,), frozenset({Callback()})),), ()
    ),
    "the operands do not fit": lambda x, y: Program((x,), (Equation(Add(), (x,), (y,), PURE),), ()),
    "parameter 1 occurs twice": lambda x, y: Program((x, x), (), ()),
    "result 0 of the program is not defined": lambda x, y: Program((x,), (), (y,)),
    "is a literal of type f32\\[\\] that holds float64": lambda x, y: Program(
        (x,), (Equation(Add(), (x, Literal(np.float64(1), F32)), (y,), PURE),), ()
    ),
    "the parameter of the program has f32\\[3\\]": lambda x, y: Program(
        (x,), (Equation(Call(good_body()), (x,), (Value(V3),), PURE),), ()
    ),
    "is neither a value nor a literal": lambda x, y: Program((x,), (), (1.0,)),  # type: ignore[arg-type]  # the mistake
}


@pytest.mark.parametrize("message", CASES)
def test_a_broken_promise_is_named(message: str) -> None:
    with pytest.raises(VerifyError, match=message):
        verify(broken(CASES[message]))


def test_the_equation_is_named_and_shown() -> None:
    x, y, z, stray = (Value(F32) for _ in range(4))
    equations = (Equation(Sine(), (x,), (y,), PURE), Equation(Add(), (y, stray), (z,), PURE))
    with pytest.raises(VerifyError, match=r"^equation 1: operand 1 is not defined") as caught:
        verify(Program((x,), equations, (z,)))
    assert "  in: %2: f32[] = add %1, %undefined" in caught.value.__notes__


def test_values_of_an_outer_program_are_not_seen_inside() -> None:
    build = Builder()
    x = build.parameter(F32)
    inner = Program((), (), (x,))
    with pytest.raises(VerifyError, match="result 0 of the program is not defined"):
        verify(build.program(build.apply(Call(inner))))


def test_good_programs_pass() -> None:
    build = Builder()
    x = build.parameter(V3)
    verify(build.program(build.apply(Call(good_body()), x), build.literal(1.0)))

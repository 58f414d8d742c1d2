"""Programs are values: they do not change, copies are they themselves, and pickles bring them to other processes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from treadle_ir import (
    ArrayType,
    Literal,
    Program,
    UnsupportedError,
    Value,
    bind,
    equal_programs,
    named_scope,
    ops,
    stage,
)
from treadle_ir.primitives.call import CustomJvpStaged, DeferredJvp
from treadle_ir.testing.examples import all_examples

F32 = np.dtype(np.float32)
VECTOR = ArrayType((3,), F32)


def scaled(x: Any) -> list[Any]:
    with named_scope("outer"):
        return [ops.multiply(ops.sine(x), np.float32(2))]


PROGRAM = stage(scaled, VECTOR).program


@pytest.mark.parametrize("name", ["operands", "results", "effects", "source", "primitive", "other"])
def test_equations_do_not_change(name: str) -> None:
    equation = PROGRAM.equations[0]
    with pytest.raises(FrozenInstanceError, match=f"Equation is frozen: its '{name}'"):
        setattr(equation, name, ())
    with pytest.raises(FrozenInstanceError):
        delattr(equation, name)
    with pytest.raises(TypeError):
        equation[1] = ()  # type: ignore[index]


@pytest.mark.parametrize(
    "made", [Value(VECTOR), Literal(np.float32(1), ArrayType((), F32))], ids=["value", "literal"]
)
def test_values_and_literals_do_not_change(made: Value | Literal) -> None:
    for name in ("type", "value", "_key"):
        with pytest.raises(FrozenInstanceError, match="is frozen"):
            setattr(made, name, None)
        with pytest.raises(FrozenInstanceError):
            delattr(made, name)
    assert copy.copy(made) is made
    assert copy.deepcopy(made) is made
    again = pickle.loads(pickle.dumps(made))
    assert again.type == made.type
    assert again != made


def test_programs_do_not_change() -> None:
    for name in ("parameters", "equations", "results", "effects"):
        with pytest.raises(FrozenInstanceError):
            setattr(PROGRAM, name, ())


def test_an_equation_is_equal_to_itself_alone() -> None:
    first = PROGRAM.equations[0]
    second = type(first)(*first)
    assert first == first
    assert first != second
    assert hash(first) != hash(second)
    assert len({first, second, first}) == 2


def test_copies_are_the_program_itself() -> None:
    assert copy.copy(PROGRAM) is PROGRAM
    assert copy.deepcopy({"program": PROGRAM, "equation": PROGRAM.equations[0]}) == {
        "program": PROGRAM,
        "equation": PROGRAM.equations[0],
    }


def test_pickled_programs_of_all_operations_are_equal() -> None:
    """The law: the program of each example, its text, and where its equations come from."""
    count = 0
    for example in all_examples():
        program = stage(
            lambda *xs, example=example: list(bind(example.primitive, *xs)), *example.types
        ).program
        for protocol in (2, pickle.HIGHEST_PROTOCOL):
            again = pickle.loads(pickle.dumps(program, protocol))
            assert equal_programs(program, again), example.id
            assert str(again) == str(program)
            assert places(again) == places(program)
        count += 1
    assert count > 1000


def places(program: Program) -> list[tuple[str, int, str, str, str]]:
    return [
        (
            each.source.file,
            each.source.line,
            each.source.function,
            each.source.scope,
            each.source.show(),
        )
        for each in program.equations
    ]


def test_places_and_scopes_survive() -> None:
    again = pickle.loads(pickle.dumps(PROGRAM))
    assert places(again) == places(PROGRAM)
    assert places(again)[0][2:4] == ("scaled", "outer")
    assert "return [ops.multiply(ops.sine(x), np.float32(2))]" in places(again)[0][4]
    assert pickle.loads(pickle.dumps(again)).equations[0].source.line == places(PROGRAM)[0][1]


def test_another_process_runs_it() -> None:
    program = (
        "import pickle, sys, numpy as np\n"
        "program = pickle.load(sys.stdin.buffer)\n"
        "from treadle_ir import interpret\n"
        "print(np.round(interpret(program, np.ones(3, np.float32))[0], 3), program.equations[0].source.show()[:15])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(PROGRAM),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.startswith(b"[1.683 1.683 1.683] test_pickling.p")


def double_jvp(x: Any, dx: Any) -> Any:
    return ops.add(x, x), ops.add(dx, dx)


def holding(jvp: Any) -> Program:
    made = CustomJvpStaged(
        stage(lambda x: [ops.add(x, x)], VECTOR).program, "double", DeferredJvp(jvp, 0)
    )
    return stage(lambda x: list(bind(made, x)), VECTOR).program


def test_a_rule_that_can_be_imported_is_pickled() -> None:
    program = holding(double_jvp)
    again = pickle.loads(pickle.dumps(program))
    assert again.equations[0].primitive.derivative.jvp is double_jvp


def test_a_rule_of_a_function_inside_another_is_named() -> None:
    program = holding(lambda x, dx: (x, dx))
    with pytest.raises(
        UnsupportedError,
        match=r"equation 0, custom_jvp_call, holds the function `test_a_rule\S*lambda>`, which cannot be imported",
    ) as caught:
        pickle.dumps(program)
    assert any(
        "fix: define the function at the top level" in note for note in caught.value.__notes__
    )
    assert copy.deepcopy(program) is program

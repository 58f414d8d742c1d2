"""Programs of one piece of code that are equal are one object."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, bind, ops, stage
from treadle_ir.core import equality
from treadle_ir.core.program import Program
from treadle_ir.primitives.call import Call, CustomJvpCall
from treadle_ir.tracing import interned
from treadle_ir.tracing.interning import _PROGRAMS_KEPT

F32 = ArrayType((), np.dtype("f4"))


def sine(x):
    return [ops.sine(x)]


def staged(function, *types: ArrayType) -> Program:
    return stage(function, *types).program


def test_equal_programs_of_one_code_are_one_object() -> None:
    first = interned(sine, staged(sine, F32))
    assert interned(sine, staged(sine, F32)) is first
    assert interned(sine, staged(sine, ArrayType((2,), F32.dtype))) is not first
    assert interned(lambda x: sine(x), staged(sine, F32)) is not first  # other code


def test_what_is_no_python_function_is_left_alone() -> None:
    program = staged(sine, F32)
    assert interned(np.sin, program) is program


def test_within_a_program_that_is_written_down_they_are_one_as_long_as_that_is_written() -> None:
    found: list[Program] = []

    def body(x):
        return [ops.cosine(x)]

    def layer(x):
        found.append(interned(body, staged(body, F32)))
        return [x]

    def outer(x):
        stage(layer, F32)
        return layer(x)

    staged(outer, F32)
    assert found[0] is found[1]
    kept = weakref.ref(found[0])
    found.clear()
    gc.collect()
    assert kept() is None


def test_programs_in_programs_are_looked_at_a_few_times_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[Any] = []
    programs_of = equality.programs_of

    def counted(primitive: Any) -> Any:
        looked_at.append(primitive)
        return programs_of(primitive)

    monkeypatch.setattr(equality, "programs_of", counted)
    depth = 60

    def around(program: Program) -> Program:
        def body(x):
            return bind(Call(program), bind(Call(program), x)[0])

        return interned(body, staged(body, F32))

    found: list[Program] = []
    for _ in range(2):
        program = staged(sine, F32) if not found else found[0]
        found = [program]
        for _ in range(depth):
            program = around(program)
            found.append(program)
    assert len(looked_at) < 100 * depth
    assert len({id(each) for each in found}) == depth + 1


def test_what_a_derivative_rule_closes_over_is_not_kept() -> None:
    class Closed:
        pass

    def body(x):
        closed = Closed()
        alive.append(weakref.ref(closed))
        rule = CustomJvpCall("f", lambda x: [ops.sine(x)], lambda xs, ts: ([closed], ts))
        return bind(rule, x)

    alive: list[Any] = []
    first, second = [interned(body, staged(body, F32)) for _ in range(2)]
    assert first is not second
    del first, second
    gc.collect()
    assert [each() for each in alive] == [None, None]


def test_the_last_programs_are_kept_as_long_as_their_code() -> None:
    def body(x):
        return [ops.cosine(x)]

    types = [ArrayType((n,), F32.dtype) for n in range(_PROGRAMS_KEPT + 1)]
    kept = [weakref.ref(interned(body, staged(body, type))) for type in types]
    gc.collect()
    assert [each() is None for each in kept] == [True] + [False] * _PROGRAMS_KEPT


def test_programs_go_with_their_code() -> None:
    scope: dict[str, Any] = {"ops": ops}
    exec("def body(x): return [ops.sine(x)]", scope)
    kept = weakref.ref(interned(scope["body"], staged(scope["body"], F32)))
    gc.collect()
    assert kept() is not None
    scope.clear()
    gc.collect()
    assert kept() is None

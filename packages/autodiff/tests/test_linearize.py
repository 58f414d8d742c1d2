"""The equations of a derivative name the operation that they belong to; the operation itself names none."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np

from treadle_autodiff import grad, jvp
from treadle_ir import ArrayType, Operand, Operands, Program, ops, stage

_VECTOR = ArrayType((2,), np.dtype(np.float32))


def root(x: Operand) -> Operand:
    return ops.reduce_add(ops.sqrt(x), axes=(0,))


def staged(function: Callable[[Operand], Operands]) -> Program:
    return stage(function, _VECTOR).program


def marks(program: Program) -> list[tuple[str, str]]:
    """Return each operation with the operation of whose derivative it is a part."""
    return [(each.primitive.name, each.source.derivative_of) for each in program.equations]


def test_in_reverse_slopes_and_cotangents_are_marked() -> None:
    found = marks(staged(lambda x: [grad(root)(x)]))
    assert found == [
        ("sqrt", ""),
        ("divide", "sqrt"),
        ("reduce_add", ""),
        ("broadcast_in_dim", "reduce_add"),
        ("multiply", "sqrt"),
    ]


def test_forward_tangents_are_marked() -> None:
    found = marks(staged(lambda x: list(jvp(root, (x,), (x,)))))
    assert found == [
        ("sqrt", ""),
        ("divide", "sqrt"),
        ("multiply", "sqrt"),
        ("reduce_add", ""),
        ("reduce_add", "reduce_add"),
    ]


def test_second_derivatives_keep_the_users_operation() -> None:
    def slope(x: Operand) -> Operand:
        return ops.reduce_add(grad(root)(x), axes=(0,))

    found = marks(staged(lambda x: [grad(slope)(x)]))
    assert ("sqrt", "") in found
    assert {of for name, of in found if name in ("divide", "negate", "multiply")} == {"sqrt"}


def test_a_derivative_has_the_line_of_its_operation() -> None:
    program = staged(lambda x: [grad(root)(x)])
    lines = {each.source.line for each in program.equations if each.primitive.name != "add"}
    assert lines == {root.__code__.co_firstlineno + 1}


def test_nothing_is_marked_after_an_error() -> None:
    def wrong(x: Operand) -> Operand:
        return ops.add(ops.sqrt(x), np.zeros(3, np.float32))

    def function(x: Operand) -> Operands:
        with contextlib.suppress(TypeError):
            grad(wrong)(x)
        return [ops.sine(x)]

    assert marks(staged(function))[-1] == ("sine", "")

from collections.abc import Callable, Sequence

import numpy as np

from treadle_ir import ArrayType, Equation, Operand, Operands, Program, ops, stage
from treadle_ir.rewrite import ALL, optimise


def test_optimise(check: Callable[..., Program], title: str) -> None:
    check("optimise", title, lambda program: optimise(program, names=ALL))


def test_a_listener_hears_of_each_rule_that_applied() -> None:
    def function(x: Operand, y: Operand) -> Operands:
        total = ops.add(x, y)
        return [ops.log(ops.exponential(x)), ops.subtract(total, x), ops.sine(x)]

    vector = ArrayType((3,), np.dtype(np.float32))
    heard: list[tuple[str, str, list[str]]] = []

    def applied(rule: str, equation: Equation, operands: Sequence[Equation]) -> None:
        heard.append((rule, equation.primitive.name, [each.primitive.name for each in operands]))

    program = stage(function, vector, vector).program
    optimised = optimise(program, names=ALL, applied=applied)
    assert heard == [
        ("log_exp", "log", ["exponential"]),
        ("cancel_add_sub", "subtract", ["add"]),
    ]
    assert str(optimised) == str(optimise(program, names=ALL))

"""NumPy evaluation of control flow: nested programs are run by the kernels of their primitives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir.core.program import Program
from treadle_ir.core.types import ArrayType
from treadle_ir.core.values import Literal, Value
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.indexing import Gather, ScatterFamily
from treadle_ir.primitives.indexing.promises import makes_promises
from treadle_ir.process.nesting import deeper
from treadle_ir.reference.promises import checked
from treadle_ir.reference.registry import Elements, EvalRule, eval_rule, eval_rules
from treadle_ir.tracing.interpreter import last_uses

Runner: TypeAlias = Callable[..., list[Elements]]
_Step: TypeAlias = tuple[Any, Any, list[tuple[bool, Any]], tuple[Value, ...], list[Value]]


def runner(program: Program) -> Runner:
    """Return a function that runs a program on NumPy arrays: prepared once, for loops that run it often.

    Operands have passed `infer` when the program was written, so they are not checked again; promises of indexing are.
    """
    drops = last_uses(program)
    steps: Final[list[_Step]] = []
    for index, equation in enumerate(program.equations):
        reads = [_reading(atom) for atom in equation.operands]
        primitive = equation.primitive
        is_checked = isinstance(primitive, (Gather, ScatterFamily)) and makes_promises(primitive)
        rule: EvalRule[Any] = checked if is_checked else eval_rules[primitive]
        steps.append((rule, primitive, reads, equation.results, drops.get(index, [])))
    parameters = program.parameters
    returned = [_reading(atom) for atom in program.results]

    def run(*operands: Elements) -> list[Elements]:
        environment: dict[Value, Elements] = dict(zip(parameters, operands, strict=True))
        for rule, primitive, reads, results, unused in steps:
            inputs = [environment[atom] if is_value else atom for is_value, atom in reads]
            for result, elements in zip(results, rule(primitive, *inputs), strict=True):
                environment[result] = np.asarray(elements)
            for value in unused:
                environment.pop(value, None)
        return [environment[atom] if is_value else atom for is_value, atom in returned]

    return run


def _reading(atom: Value | Literal) -> tuple[bool, Any]:
    if isinstance(atom, Literal):
        return False, np.asarray(atom.value)
    return True, atom


def run_program(program: Program, operands: Sequence[Elements]) -> list[Elements]:
    """Return the results of a program on NumPy arrays."""
    with deeper():
        return runner(program)(*operands)


@eval_rule(Case)
def case_eval(primitive: Case, index: Elements, *operands: Elements) -> list[Elements]:
    """Run the chosen branch."""
    chosen = min(max(int(index), 0), len(primitive.branches) - 1)
    return run_program(primitive.branches[chosen], operands)


@eval_rule(While)
def while_eval(primitive: While, *operands: Elements) -> list[Elements]:
    """Run a Python loop."""
    cond_consts, body_consts, carry = primitive.operand_groups(operands)
    with deeper():
        cond, body = runner(primitive.cond), runner(primitive.body)
        iterations = 0
        while iterations != primitive.trip_bound and cond(*cond_consts, *carry)[0]:
            carry = body(*body_consts, *carry)
            iterations += 1
    return [*carry]


@eval_rule(Scan)
def scan_eval(primitive: Scan, *operands: Elements) -> list[Elements]:
    """Run a Python loop that writes the ys into preallocated arrays."""
    consts, carry, xs = primitive.operand_groups(operands)
    ys = []
    for type in primitive.result_groups(primitive.body.result_types).ys:
        assert isinstance(type, ArrayType)
        ys.append(np.empty((primitive.length, *type.shape), type.dtype))
    indices = range(primitive.length)
    with deeper():
        body = runner(primitive.body)
        for i in reversed(indices) if primitive.reverse else indices:
            returned = body(*consts, *carry, *[np.asarray(x[i]) for x in xs])
            carry, stacked = primitive.result_groups(returned)
            for y, elements in zip(ys, stacked, strict=True):
                y[i] = elements
    return [*carry, *ys]

"""Rules of case: the derivative of a branch is a branch.

Branches are transformed one by one and then made alike: all take what any of them captured, all return tangents
and residuals in common places.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, final

from treadle_autodiff.programs import jvp_program, linearize_program, transpose_program
from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Linearization,
    LinearOperands,
    jvp_rule,
    linearize_rule,
    transpose_rule,
)
from treadle_autodiff.rules.call import with_zeros
from treadle_autodiff.rules.control.operands import nonzero_flags, those
from treadle_autodiff.tangents import Linear, Tangents, Zero, materialise, zeros
from treadle_ir import Atom, Operand, Operands, Program, Type, Value, bind, stage
from treadle_ir.core import Flags, elementwise_or
from treadle_ir.primitives.control import Case
from treadle_ir.process import frozen
from treadle_ir.tracing import derived, share_captures

K = TypeVar("K")


@final
@frozen(eq=False)
class _Branches:
    """Branches of one signature, which begins with what they captured."""

    primitive: Case
    captured: tuple[Operand, ...]
    nonzero: Flags


@jvp_rule(Case)
def case_jvp(primitive: Case, primals: Operands, tangents: Tangents, /) -> Duals:
    """The chosen branch's jvp; a result has a tangent if it has one in some branch."""
    flags = nonzero_flags(tangents)[1:]
    made = derived(
        primitive.branches[0],
        ("case_jvp", primitive.branches[1:], flags),
        lambda: _case_jvp(primitive.branches, flags),
    )
    given = those(tangents[1:], flags)
    outputs = bind(made.primitive, primals[0], *made.captured, *primals[1:], *given)
    types = primitive.branches[0].result_types
    return outputs[: len(types)], with_zeros(outputs[len(types) :], made.nonzero, types)


def _case_jvp(branches: Sequence[Program], flags: Flags) -> _Branches:
    nonzero = elementwise_or(*[jvp_program(branch, flags).nonzero for branch in branches])
    jvps = [jvp_program(branch, flags, nonzero) for branch in branches]
    programs, captured = share_captures(
        [each.program for each in jvps], [each.captured for each in jvps]
    )
    return _Branches(Case(tuple(programs)), tuple(captured), nonzero)


@final
@frozen(eq=False)
class _LinearizedCase:
    """A partitioned case. Residuals are results of the known one, or operands that are passed on unchanged."""

    known: Case
    captured: tuple[Operand, ...]
    linear: Case
    handed_on: tuple[int, ...]  # places among the known case's operands after the index
    nonzero: Flags


@linearize_rule(Case)
def case_linearize(primitive: Case, primals: Operands, nonzero: Sequence[bool], /) -> Linearization:
    """The chosen branch now, with the residuals of all branches in common places; its linear part later."""
    flags = tuple(nonzero[1:])
    split = derived(
        primitive.branches[0],
        ("case_linearize", primitive.branches[1:], flags),
        lambda: _linearize_case(primitive.branches, flags),
    )
    operands = (*split.captured, *primals[1:])
    outputs = bind(split.known, primals[0], *operands)
    types = primitive.branches[0].result_types
    residuals = [*outputs[len(types) :], *[operands[i] for i in split.handed_on]]

    def linear(tangents: Tangents) -> Tangents:
        if not any(split.nonzero):
            return with_zeros((), split.nonzero, types)
        given = [materialise(tangent) for tangent in those(tangents[1:], flags)]
        return with_zeros(bind(split.linear, primals[0], *residuals, *given), split.nonzero, types)

    return outputs[: len(types)], linear


@final
class _Places(Generic[K]):
    """Places that all branches share: each branch takes, for a key, the first place that it has not taken yet."""

    def __init__(self) -> None:
        self.keys: list[K] = []
        self._by_key: defaultdict[K, list[int]] = defaultdict(list)

    def of_branch(self) -> Callable[[K], int]:
        """Return the function with which one branch takes its places."""
        taken = Counter[K]()

        def take(key: K) -> int:
            known = self._by_key[key]
            if taken[key] == len(known):
                known.append(len(self.keys))
                self.keys.append(key)
            taken[key] += 1
            return known[taken[key] - 1]

        return take


def _linearize_case(branches: Sequence[Program], flags: Flags) -> _LinearizedCase:
    nonzero = elementwise_or(*[linearize_program(branch, flags).nonzero for branch in branches])
    splits = [linearize_program(branch, flags, nonzero) for branch in branches]
    knowns, captured = share_captures(
        [each.known for each in splits], [each.captured for each in splits]
    )
    count = len(nonzero)
    slots, handed_on = _Places[Type](), _Places[int]()
    made: list[dict[int, tuple[Value, Atom]]] = []  # per branch, by slot: parameter, and its value
    passed: list[dict[int, Value]] = []  # per branch, by place among the operands passed on
    for known, split in zip(knowns, splits, strict=True):
        operand = {parameter: i for i, parameter in enumerate(known.parameters)}
        slot_of, place_of = slots.of_branch(), handed_on.of_branch()
        made.append({})
        passed.append({})
        residuals = split.linear.parameters[: split.residuals]
        for atom, parameter in zip(known.results[count:], residuals, strict=True):
            if isinstance(atom, Value) and atom in operand:
                passed[-1][place_of(operand[atom])] = parameter
            else:
                made[-1][slot_of(parameter.type)] = parameter, atom
    handed_types = [knowns[0].parameters[i].type for i in handed_on.keys]
    known_branches, linear_branches = [], []
    for known, split, own, given in zip(knowns, splits, made, passed, strict=True):
        returned = {at: atom for at, (_, atom) in own.items()}
        known_branches.append(_with_slots(known, count, slots.keys, returned))
        leading = [own[i][0] if i in own else Value(type) for i, type in enumerate(slots.keys)]
        leading += [given.get(i) or Value(type) for i, type in enumerate(handed_types)]
        tangents = split.linear.parameters[split.residuals :]
        linear_branches.append(
            Program((*leading, *tangents), split.linear.equations, split.linear.results)
        )
    return _LinearizedCase(
        Case(tuple(known_branches)),
        tuple(captured),
        Case(tuple(linear_branches)),
        tuple(handed_on.keys),
        nonzero,
    )


def _with_slots(
    program: Program, count: int, slots: Sequence[Type], returned: dict[int, Atom]
) -> Program:
    """The program with its first results, then what it has for each slot; zeros where it has nothing."""
    empty = [i for i in range(len(slots)) if i not in returned]
    filling = stage(lambda: [zeros(slots[i]) for i in empty]).program
    fill = dict(zip(empty, filling.results, strict=True))
    more = [returned[i] if i in returned else fill[i] for i in range(len(slots))]
    return Program(
        program.parameters,
        (*program.equations, *filling.equations),
        (*program.results[:count], *more),
    )


@transpose_rule(Case)
def case_transpose(
    primitive: Case, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The chosen branch's transpose."""
    index = operands[0]
    assert not isinstance(index, Linear), "the index of a case is an integer"
    linear = tuple([isinstance(operand, Linear) for operand in operands[1:]])
    given = nonzero_flags(cotangents)
    made = derived(
        primitive.branches[0],
        ("case_transpose", primitive.branches[1:], linear, given),
        lambda: _transpose_case(primitive.branches, linear, given),
    )
    known = [operand for operand in operands[1:] if not isinstance(operand, Linear)]
    outputs = iter(bind(made.primitive, index, *made.captured, *known, *those(cotangents, given)))
    flags = iter(made.nonzero)
    return [
        (next(outputs) if next(flags) else Zero(operand.type.tangent()))
        if isinstance(operand, Linear)
        else None
        for operand in operands
    ]


def _transpose_case(branches: Sequence[Program], linear: Flags, given: Flags) -> _Branches:
    nonzero = elementwise_or(
        *[transpose_program(branch, linear, given).nonzero for branch in branches]
    )
    transposed = [transpose_program(branch, linear, given, instantiate=True) for branch in branches]
    programs, captured = share_captures(
        [
            Program(
                each.program.parameters,
                each.program.equations,
                tuple(those(each.program.results, nonzero)),
            )
            for each in transposed
        ],
        [each.captured for each in transposed],
    )
    return _Branches(Case(tuple(programs)), tuple(captured), nonzero)

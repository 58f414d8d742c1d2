"""Rules of checkpoints: what is stored for the backward pass, and what it computes again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import final

from treadle_autodiff.checkpoint_policies import Offloadable, decision
from treadle_autodiff.programs import LinearizedProgram, linearize_program
from treadle_autodiff.registry import (
    Duals,
    Linearization,
    jvp_rule,
    linearize_rule,
    transpose_rules,
)
from treadle_autodiff.rules.call import with_zeros
from treadle_autodiff.tangents import Tangents, Zero
from treadle_ir import Operand, Operands, Program, Value, bind, ops, stage
from treadle_ir.core import unsharded
from treadle_ir.events import say
from treadle_ir.primitives.call import Checkpoint, CheckpointName
from treadle_ir.primitives.memory import ToMemory
from treadle_ir.process import frozen
from treadle_ir.rewrite import prune
from treadle_ir.settings import LOG_CHECKPOINT_RESIDUALS
from treadle_ir.tracing import derived, interpret_unchecked as interpret


@linearize_rule(Checkpoint)
def checkpoint_linearize(
    primitive: Checkpoint, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """The results now; the linear map starts from the operands (and what the policy keeps) again."""
    program = primitive.program
    split = linearize_program(program, nonzero)
    types = program.result_types
    keeping = derived(
        split.known, ("keeping", primitive.policy), lambda: _keeping(primitive, split, len(types))
    )
    forward = replace(primitive, program=keeping.known, stores=True)
    outputs = bind(forward, *split.captured, *primals)
    saved = outputs[len(types) :]

    def linear(tangents: Tangents) -> Tangents:
        if not any(split.nonzero):
            return with_zeros((), split.nonzero, types)
        given = [tangent for tangent in tangents if not isinstance(tangent, Zero)]
        call = replace(primitive, program=keeping.again, stores=False, recomputes=False)
        known = [
            x for x, flag in zip((*split.captured, *primals), keeping.starts, strict=True) if flag
        ]
        returned = bind(call, *known, *saved, *given)
        return with_zeros(returned, split.nonzero, types)

    return outputs[: len(types)], linear


@final
@frozen(eq=False)
class _Keeping:
    """A checkpoint in two: `known` returns results and what is kept, `again` computes all else once more.

    `starts` says of each parameter of `known` whether `again` starts from it, too.
    """

    known: Program
    again: Program
    starts: tuple[bool, ...]
    captured: tuple[Operand, ...] = ()


def _keeping(primitive: Checkpoint, split: LinearizedProgram, results: int) -> _Keeping:
    """Return which results that the policy names, and which operands, the backward pass needs."""
    allowed = _kept(primitive, split.known)
    again = _make_again(split, allowed)
    used = {atom for equation in again.equations for atom in equation.operands}.union(again.results)
    count = len(split.known.parameters)
    starts = tuple([parameter in used for parameter in again.parameters[:count]])
    needed = [parameter in used for parameter in again.parameters[count:]]
    kept = {
        value: where for (value, where), flag in zip(allowed.items(), needed, strict=False) if flag
    }
    taken = (*starts, *needed[: len(allowed)], *[True] * (len(needed) - len(allowed)))
    parameters = tuple([p for p, flag in zip(again.parameters, taken, strict=True) if flag])
    if LOG_CHECKPOINT_RESIDUALS():
        log_residuals(split.known, starts, kept)
    known = _with_results(split.known, results, kept)
    return _Keeping(known, Program(parameters, again.equations, again.results), starts)


def log_residuals(
    known: Program, starts: Sequence[bool], kept: Mapping[Value, Offloadable | None]
) -> None:
    """Log what a checkpoint stores: the operands that it starts again from, and what its policy keeps."""
    lines = [
        f"{parameter.type}, an operand"
        for parameter, flag in zip(known.parameters, starts, strict=True)
        if flag
    ]
    for equation in known.equations:
        lines += [
            f"{result.type}, of {equation.primitive.name} at {equation.source.show()}{_elsewhere(kept[result])}"
            for result in equation.results
            if result in kept
        ]
    say("\n  ".join(["checkpoint stores:", *lines]), loudly=True)


def _elsewhere(moved: Offloadable | None) -> str:
    return "" if moved is None else f", in {moved.dst}"


def _make_again(split: LinearizedProgram, kept: Mapping[Value, Offloadable | None]) -> Program:
    """Tangents of the results from captured operands, primals, kept values and tangents."""
    first = len(split.known.parameters)
    last = first + len(kept)

    def function(*operands: Operand) -> Operands:
        saved = [
            x if moved is None else ops.to_memory(x, kind=moved.src)
            for x, moved in zip(operands[first:last], kept.values(), strict=True)
        ]
        inner = _interpret_with(split.known, operands[:first], [*kept], saved)
        residuals = inner[len(inner) - split.residuals :]
        return interpret(split.linear, *residuals, *operands[last:])

    tangents = split.linear.parameter_types[split.residuals :]
    types = (*split.known.parameter_types, *(value.type for value in kept), *tangents)
    staged = stage(function, *unsharded(types))
    assert not staged.captured, "programs are closed"
    return prune(staged.program)


def _kept(primitive: Checkpoint, known: Program) -> dict[Value, Offloadable | None]:
    """The values of the known program that the policy keeps for the backward pass, and where if that is elsewhere."""
    kept: dict[Value, Offloadable | None] = {}
    if primitive.policy is not None:
        for equation in known.equations:
            answer = decision(primitive.policy, equation.primitive)
            if answer:
                moved = answer if isinstance(answer, Offloadable) else None
                kept.update(dict.fromkeys(equation.results, moved))
    return kept


def _with_results(
    program: Program, count: int, more: Mapping[Value, Offloadable | None]
) -> Program:
    """The program with its first `count` results and these values, where they are kept, as further ones."""
    known = Program(program.parameters, program.equations, (*program.results[:count], *more))
    moves = [None if moved is None else ToMemory(moved.dst) for moved in more.values()]
    return known.then([*[None] * count, *moves])


def _interpret_with(
    program: Program, operands: Operands, given: Sequence[Value], values: Operands
) -> Operands:
    """Interpret a program of which some inner values are at hand."""
    at_hand = set(given)
    equations = tuple(
        equation
        for equation in program.equations
        if not equation.results or not all(result in at_hand for result in equation.results)
    )
    # A given value becomes a parameter; an equation that makes it and other results keeps only the others.
    shadowed = Program((*program.parameters, *given), equations, program.results)
    return interpret(shadowed, *operands, *values)


@jvp_rule(CheckpointName)
def checkpoint_name_jvp(
    primitive: CheckpointName, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The identity; only the primal carries the name."""
    return bind(primitive, *primals), tangents


transpose_rules.absent(CheckpointName, because="tangents pass it unnamed")

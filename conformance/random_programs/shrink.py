"""Makes a program that breaks a law smaller, while it goes on breaking it: always in the same way, without chance."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Final

from conformance.random_programs.program import KEY, Argument, Call, Case, Nested, Program, Step

_TRIES: Final = 300


def shrunk(case: Case, fails: Callable[[Case], bool], tries: int = _TRIES) -> Case:
    """The smallest case found that still fails."""
    improved = True
    while improved and tries > 0:
        improved = False
        for smaller in _smaller(case):
            tries -= 1
            if fails(smaller):
                case, improved = smaller, True
                break
            if tries <= 0:
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Simpler cases, the greatest reductions first."""
    for program in _simpler(case.program):
        yield _trimmed(dataclasses.replace(case, program=program))
    for i, argument in enumerate(case.arguments):
        for simpler in _simpler_argument(argument):
            arguments = [*case.arguments]
            arguments[i] = simpler
            yield dataclasses.replace(case, arguments=tuple(arguments))


def _simpler(program: Program) -> Iterator[Program]:
    """Programs with one result, without a step, with a body in its helper's place, or with a simpler body."""
    if len(program.results) > 1:
        for name in program.results:
            yield _without_waste(dataclasses.replace(program, results=(name,)))
    for i, step in enumerate(program.steps):
        # Steps after it lose their operands unless they do not read them.
        results = tuple(name for name in program.results if name not in step.results)
        earlier = {name for each in program.steps[:i] for name in each.results}
        results = results or tuple(sorted(earlier))[-1:]
        later = program.steps[i + 1 :]
        if results and not any({*_reads(each)} & {*step.results} for each in later):
            steps = (*program.steps[:i], *later)
            yield _without_waste(dataclasses.replace(program, steps=steps, results=results))
    for i, step in enumerate(program.steps):
        # A program that stops at this step, and returns what it makes.
        if i + 1 < len(program.steps) and program.results != step.results:
            yield _without_waste(Program(program.parameters, program.steps[: i + 1], step.results))
    for i, step in enumerate(program.steps):
        if isinstance(step, Nested):
            yield from (_replaced(program, i, each) for each in _opened(step))
            for body in _simpler(step.body):
                if body.results:
                    yield _replaced(program, i, (dataclasses.replace(step, body=body),))


def _reads(step: Step) -> Iterator[str]:
    yield from step.read
    if isinstance(step, Nested):
        for each in step.body.steps:
            yield from _reads(each)


def _replaced(program: Program, place: int, steps: tuple[Step, ...]) -> Program:
    """Replace the step at `place` by `steps`, and drop the program's results that they do not make."""
    made = {name for step in steps for name in step.results}
    lost = {*program.steps[place].results} - made
    results = tuple(name for name in program.results if name not in lost)
    every = (*program.steps[:place], *steps, *program.steps[place + 1 :])
    return _without_waste(Program(program.parameters, every, results or steps[-1].results))


def _opened(step: Nested) -> Iterator[tuple[Step, ...]]:
    """The steps of a helper's body, on the operands themselves: the depth becomes less."""
    operands = step.operands[len(step.operands) - len(step.body.parameters) :]
    names = {p: x[0] for p, x in zip(step.body.parameters, operands, strict=True)}
    results = [name for name in step.body.results if name not in names]
    names |= dict(zip(results, step.results, strict=False))
    yield tuple(_renamed(each, names) for each in step.body.steps)


def _renamed(step: Step, names: dict[str, str]) -> Step:
    results = tuple(names.get(x, x) for x in step.results)
    if isinstance(step, Call):
        operands = tuple(names.get(x, x) for x in step.operands)
        return dataclasses.replace(step, results=results, operands=operands)
    body = step.body
    steps = tuple(_renamed(each, names) for each in body.steps)
    inner = tuple(names.get(x, x) for x in body.results)
    pairs = tuple(tuple(names.get(x, x) for x in each) for each in step.operands)
    return dataclasses.replace(
        step, results=results, operands=pairs, body=Program(body.parameters, steps, inner)
    )


def _without_waste(program: Program) -> Program:
    """The program without steps that no result depends on."""
    needed = {*program.results}
    steps: list[Step] = []
    for step in reversed(program.steps):
        if needed & {*step.results}:
            steps.append(step)
            needed.update(_reads(step))
    return dataclasses.replace(program, steps=tuple(reversed(steps)))


def _trimmed(case: Case) -> Case:
    """The case without arguments that are not read."""
    read = {name for step in case.program.steps for name in _reads(step)} | {*case.program.results}
    arguments = tuple(each for each in case.arguments if each.name in read)
    parameters = tuple(each.name for each in arguments)
    return dataclasses.replace(
        case, arguments=arguments, program=dataclasses.replace(case.program, parameters=parameters)
    )


def _simpler_argument(argument: Argument) -> Iterator[Argument]:
    if argument.dtype == KEY:
        if argument.numbers != (0,):
            yield dataclasses.replace(argument, numbers=(0,))
        return
    kind = type(argument.numbers[0]) if argument.numbers else float
    if kind is not bool:
        for number in (kind(1), kind(2)):
            if argument.numbers != (every := (number,) * len(argument.numbers)):
                if number == 2 and argument.numbers == (kind(1),) * len(argument.numbers):
                    continue
                yield dataclasses.replace(argument, numbers=every)
    rounded = tuple(
        round(x, 1) if isinstance(x, float) and math.isfinite(x) else x for x in argument.numbers
    )
    if rounded != argument.numbers and repr(rounded) != repr(argument.numbers):
        yield dataclasses.replace(argument, numbers=rounded)

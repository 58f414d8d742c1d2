"""Loops and branches with effects in two: with the effects that need no tangent, and with the others.

A rule that is compiled as a whole may have a loop in which something is printed. Under reverse mode one half runs now,
the other where the tangents are known, and each effect happens in one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle_autodiff.dependence import SPLIT, of_program, touched_results, within
from treadle_ir import (
    Effects,
    Equation,
    Flags,
    NamedAxis,
    Primitive,
    Program,
    deeper,
    inferred,
)
from treadle_ir.primitives.control import Case, While
from treadle_ir.rewrite import with_nested


def halves(primitive: Primitive, given: Sequence[bool]) -> tuple[Primitive, Primitive] | None:
    """One of `SPLIT` without the effects that depend on the operands which `given` marks, and without the others.

    None where it has no effects, or where something depends on whether they happen: on results of theirs, or on an
    operand that says which way to go.
    """
    flags = tuple(given)
    if not any([_happening(program.effects) for program, _ in within(primitive, flags)]):
        return None
    now = _with_effects(primitive, flags, dependent=False)
    later = _with_effects(primitive, flags, dependent=True)
    return None if now is None or later is None else (now, later)


def _happening(effects: Effects) -> Effects:
    """Those that happen: to depend on an axis is no event."""
    return frozenset([effect for effect in effects if not isinstance(effect, NamedAxis)])


def _with_effects(primitive: Primitive, flags: Flags, dependent: bool) -> Primitive | None:
    nested = within(primitive, flags)
    if isinstance(primitive, Case) and flags[0]:
        return None
    if isinstance(primitive, While) and any(of_program(*nested[0])):
        return None
    made: dict[int, Program] = {}
    for program, parameters in nested:
        half = _program_with_effects(program, parameters, dependent)
        if half is None:
            return None
        made[id(program)] = half
    return with_nested(primitive, made)


def _program_with_effects(program: Program, given: Flags, dependent: bool) -> Program | None:
    """The program with those effects that depend on marked parameters, or else with the others."""
    touched = {value for value, flag in zip(program.parameters, given, strict=True) if flag}
    equations: list[Equation] = []
    for equation in program.equations:
        flags = tuple([atom in touched for atom in equation.operands])
        touched.update(touched_results(equation, flags))
        if not _happening(equation.effects):
            equations.append(equation)
        elif isinstance(equation.primitive, SPLIT):
            with deeper():
                half = _with_effects(equation.primitive, flags, dependent)
            if half is None:
                return None
            _, effects = inferred(half, tuple([atom.type for atom in equation.operands]))
            equations.append(
                Equation(half, equation.operands, equation.results, effects, equation.source)
            )
        elif any(flags) == dependent:
            equations.append(equation)
        elif equation.results:
            return None
    return Program(program.parameters, tuple(equations), program.results)

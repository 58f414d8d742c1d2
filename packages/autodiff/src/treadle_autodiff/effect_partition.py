"""Partition of loops and branches with effects: one copy has the known effects, the other the tangent-dependent ones.

A rule that is compiled as a whole may have a loop in which something is printed. Under reverse mode one copy runs
now, the other where the tangents are known, and each effect happens in one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle_autodiff.dependence import DEPENDENCE, is_structured
from treadle_ir import Effects, Equation, Primitive, Program, Value
from treadle_ir.core import OPERANDS, Flags, NamedAxis, inferred
from treadle_ir.process import deeper
from treadle_ir.rewrite import with_nested


def partition_effects(
    primitive: Primitive, given: Sequence[bool]
) -> tuple[Primitive, Primitive] | None:
    """Return a loop or branch without the effects that depend on the operands which `given` marks, and the other half.

    None where it has no effects, or where something depends on whether they happen: on results of theirs, or on an
    operand that says which way to go.
    """
    flows = primitive.flows()
    if flows is None or not any([_happening(region.effects) for region in flows.regions]):
        return None
    flags = tuple(given)
    now = _with_effects(primitive, flags, dependent=False)
    later = _with_effects(primitive, flags, dependent=True)
    return None if now is None or later is None else (now, later)


def _happening(effects: Effects) -> Effects:
    """Return the effects that happen: a program depends on named axes, but they are not events."""
    return frozenset([effect for effect in effects if not isinstance(effect, NamedAxis)])


def _with_effects(primitive: Primitive, flags: Flags, dependent: bool) -> Primitive | None:
    flows = primitive.flows()
    assert flows is not None, "calls, loops and branches have flows"
    found = DEPENDENCE.within(primitive, flags)
    if flows.predicate is not None:
        region, place = flows.predicate
        if flags[place] if region == OPERANDS else found.returned[region][place]:
            return None
    made: dict[int, Program] = {}
    for program, parameters in zip(flows.regions, found.parameters, strict=True):
        half = _program_with_effects(program, parameters, dependent)
        if half is None:
            return None
        made[id(program)] = half
    return with_nested(primitive, made)


def _program_with_effects(program: Program, given: Flags, dependent: bool) -> Program | None:
    """Return the program with those effects that depend on marked parameters, or else with the others."""
    depends = DEPENDENCE.values(program, given)
    equations: list[Equation] = []
    for equation in program.equations:
        flags = tuple([isinstance(atom, Value) and depends[atom] for atom in equation.operands])
        if not _happening(equation.effects):
            equations.append(equation)
        elif is_structured(equation.primitive):
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

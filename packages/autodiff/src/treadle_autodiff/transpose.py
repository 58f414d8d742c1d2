"""Walk a linear program backwards: from cotangents of its results to cotangents of its parameters.

Equations that touch no linear value are run forward first; the others are transposed in reverse order, each
by its primitive's rule. Cotangents that meet are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle_autodiff.dependence import independent_results, is_structured
from treadle_autodiff.registry import TransposeRule, not_linear, transpose_rules
from treadle_autodiff.slices import SliceCotangent, concatenated, non_overlapping, sliced_axis
from treadle_autodiff.tangents import Linear, Tangent, Zero, add
from treadle_ir import Atom, Equation, Literal, Operand, Operands, Primitive, Program, Value
from treadle_ir.errors import source
from treadle_ir.tracing import current_trace, staging_trace


def transpose(program: Program, known: Operands, cotangents: Sequence[Tangent]) -> list[Tangent]:
    """Transpose a program: return the cotangents of its linear parameters.

    The leading parameters are `known`; the program is linear in the others. One cotangent per result.
    """
    environment: dict[Value, Operand] = dict(zip(program.parameters, known, strict=False))
    process = current_trace().process
    linear = []
    needed: set[Atom] | None = None
    for equation in program.equations:
        operands: list[Operand] = []
        for atom in equation.operands:
            if isinstance(atom, Literal):
                operands.append(atom.value)
            else:
                value = environment.get(atom)
                if value is None:
                    linear.append(equation)
                    if is_structured(equation.primitive):
                        if needed is None:
                            needed = {x for each in program.equations for x in each.operands}
                        environment.update(_known_results(equation, environment, needed))
                    break
                operands.append(value)
        else:
            environment.update(
                zip(equation.results, process(equation.primitive, operands), strict=True)
            )
    gathered: dict[Value, Tangent] = {}
    for atom, cotangent in zip(program.results, cotangents, strict=True):
        if isinstance(atom, Value) and not isinstance(cotangent, Zero):
            gathered[atom] = add(gathered[atom], cotangent) if atom in gathered else cotangent
    outer = source.place.get()
    # What is evaluated has no locations, so they are made only where a program is staged.
    names: dict[tuple[str, str], tuple[str, str]] | None = {} if staging_trace() else None
    here = source.Place("" if outer is None else outer.scope, transposed=names)
    if outer is not None:
        here.path = outer.path
    with source.placed(here):
        _backwards(linear, environment, gathered, here)
    return [
        gathered.get(parameter, Zero(parameter.type.tangent()))
        for parameter in program.parameters[len(known) :]
    ]


def _known_results(
    equation: Equation, environment: dict[Value, Operand], needed: set[Atom]
) -> dict[Value, Operand]:
    """Return the results of a linear call, loop or branch that depend on nothing linear, if equations need them."""
    if needed.isdisjoint(equation.results):
        return {}
    operands = [
        atom.value if isinstance(atom, Literal) else environment.get(atom)
        for atom in equation.operands
    ]
    types = [atom.type for atom in equation.operands]
    found = independent_results(equation.primitive, operands, types)
    return {equation.results[i]: result for i, result in found.items()}


def _backwards(
    linear: Sequence[Equation],
    environment: dict[Value, Operand],
    gathered: dict[Value, Tangent],
    here: source.Place,
) -> None:
    """Transpose equations in reverse order; new operations get the source locations of the equations."""
    cut: dict[
        Value, list[SliceCotangent]
    ] = {}  # of what slices are taken, until its cotangent is needed
    for equation in reversed(linear):
        primitive, operands, results, _, place = equation
        if cut:
            for result in results:
                if result in cut:
                    _join(result, cut.pop(result), gathered, here)
        if not any([result in gathered for result in results]):
            continue
        axis = sliced_axis(equation)
        if axis is not None:
            part = SliceCotangent(axis, equation, gathered.pop(results[0]))
            cut.setdefault(part.whole, []).append(part)
            continue
        here.replayed = place
        if place.names is not None and here.transposed is not None:
            here.replayed = source.transposed_source(place, here)
        incoming: list[Tangent] = [
            gathered.pop(result) if result in gathered else Zero(result.type.tangent())
            for result in results
        ]
        at_hand: list[Operand | Linear] = []
        for atom in operands:
            if isinstance(atom, Literal):
                at_hand.append(atom.value)
            elif atom in environment:
                at_hand.append(environment[atom])
            else:
                at_hand.append(Linear(atom.type))
        outgoing = _rule(primitive)(primitive, incoming, at_hand)
        for atom, outward in zip(operands, outgoing, strict=True):
            if outward is None or isinstance(outward, Zero):
                continue
            assert isinstance(atom, Value)
            assert atom not in environment, f"{primitive.name}: cotangent of a known operand"
            gathered[atom] = add(gathered[atom], outward) if atom in gathered else outward
    for value, parts in cut.items():
        _join(value, parts, gathered, here)


def _join(
    value: Value,
    parts: Sequence[SliceCotangent],
    gathered: dict[Value, Tangent],
    here: source.Place,
) -> None:
    """Add the cotangents of slices of a value to its own."""
    for row in non_overlapping(parts):
        here.replayed = source.transposed_source(row[0].equation.source, here)
        if len(row) > 1:
            found: Tangent | None = concatenated(row)
        else:
            (part,) = row
            primitive = part.equation.primitive
            (found,) = _rule(primitive)(primitive, [part.cotangent], [Linear(value.type)])
        assert found is not None
        gathered[value] = add(gathered[value], found) if value in gathered else found


def _rule(primitive: Primitive) -> TransposeRule[Any]:  # Any: of this primitive
    rule = transpose_rules.get(type(primitive))
    if rule is None:
        # treadle's own linear operations all have rules: this one is not linear, and a user's rule applied it.
        ours = type(primitive).__module__.startswith("treadle_ir.")
        if ours and transpose_rules.why_absent(type(primitive)) is None:
            raise not_linear(primitive)
        raise transpose_rules.missing(type(primitive))
    return rule

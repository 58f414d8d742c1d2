"""Programs and operations for operands with shardings for which they were not staged.

What transformations make of programs, such as derivatives, is staged without shardings. Where it is called under a mesh
with explicit axes, its values get them here: a program that is called in many places is looked through once for each
combination of shardings.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Final

from treadle_ir.core.families import ControlFlow, InlineCall
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.sharding import Sharding, replicated
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.errors.kinds import ShardingTypeError
from treadle_ir.process.nesting import deeper
from treadle_ir.sharding.rules import sharded_results

_ANSWERS_KEPT: Final = 64  # for each program


def specialised(program: Program, operands: Sequence[Type], mesh: AbstractMesh) -> Program:
    """Return the program for operands of these types, whose values have shardings over the explicit axes of `mesh`.

    The program remembers the answer; it is the answer itself where its parameters have these shardings already.
    """
    given = tuple([_sharding_over(type, mesh) for type in operands])
    if given == tuple([type.sharding for type in program.parameter_types]):
        return program
    answers: dict[object, Program] = program.derived.setdefault(specialised, {})
    key = given, mesh
    found = answers.get(key)
    if found is None:
        with deeper():
            found = _specialised(program, given, mesh)
        if len(answers) >= _ANSWERS_KEPT:
            answers.clear()
        answers[key] = found
    return found


def _sharding_over(type: Type, mesh: AbstractMesh) -> Sharding | None:
    return None if type.sharding is None else type.sharding.over(mesh)


def _specialised(program: Program, given: Sequence[Sharding | None], mesh: AbstractMesh) -> Program:
    """Return the program with the shardings of each equation's results inferred again.

    Operations that explicit axes do not support were refused when the program was staged. Where a rule refuses one
    here, it was staged for other shardings, or without explicit axes, and its results are left to the compiler.
    """
    instead: dict[Value, Atom] = {
        parameter: _with_sharding(parameter, sharding)
        for parameter, sharding in zip(program.parameters, given, strict=True)
    }
    equations: list[Equation] = []
    for equation in program.equations:
        operands = tuple([instead[x] if type(x) is Value else x for x in equation.operands])
        types = typed_over(operands, mesh)
        primitive = specialised_primitive(equation.primitive, types, mesh)
        plain = [result.type.unsharded for result in equation.results]
        try:
            found: Sequence[Type] = sharded_results(primitive, types, plain, mesh)
        except ShardingTypeError:
            found = plain
        results = tuple([Value(each) for each in found])
        instead.update(zip(equation.results, results, strict=True))
        equations.append(Equation(primitive, operands, results, equation.effects, equation.source))
    return Program(
        tuple([instead[each] for each in program.parameters]),  # type: ignore[misc]  # values
        tuple(equations),
        tuple([instead[x] if type(x) is Value else x for x in program.results]),
    )


def _with_sharding(value: Value, sharding: Sharding | None) -> Value:
    kind = value.type
    return Value(kind.with_sharding(sharding) if isinstance(kind, ArrayType) else kind)


def typed_over(atoms: Sequence[Atom], mesh: AbstractMesh) -> tuple[Type, ...]:
    """Return the types of operands as sharding rules take them: a literal is the same on each device."""
    return tuple(
        [
            atom.type.with_sharding(replicated(0, mesh)) if type(atom) is Literal else atom.type
            for atom in atoms
        ]
    )


def specialised_primitive(
    primitive: Primitive, operands: Sequence[Type], mesh: AbstractMesh
) -> Primitive:
    """Return an operation with the programs that it holds for operands of these types."""
    if type(primitive).programs is Primitive.programs:
        return primitive
    flows = primitive.flows() if isinstance(primitive, InlineCall | ControlFlow) else None
    if flows is None:
        return primitive
    regions = []
    for region, entry in zip(flows.regions, flows.entry, strict=True):
        given = [_slice(operands[i]) if flows.is_sliced(i) else operands[i] for i in entry]
        regions.append(specialised(region, given, mesh))
    unchanged = all(map(is_, regions, flows.regions))
    return primitive if unchanged else primitive.with_regions(regions)


def _slice(type: Type) -> Type:
    assert isinstance(type, ArrayType), "arrays are scanned over"
    return type.without_leading_axis()

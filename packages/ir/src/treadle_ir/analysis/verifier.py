"""Verification of the invariants of programs.

A program is closed and typed: each value is defined once, before it is used and in the same program; results have
the types that `infer` gives; a program has the effects of its operations; a literal is a scalar of its type; the
operands of a call have the types of its program's parameters. Nested programs are checked, too, each once.
"""

from __future__ import annotations

from treadle_ir.core.effects import joined
from treadle_ir.core.equality import has_programs, inside_out
from treadle_ir.core.families import FunctionCall, InlineCall
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.printing import print_equation
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import INVARIANT, Type
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Literal, Value
from treadle_ir.errors.kinds import ShardingTypeError, TreadleError, VerifyError
from treadle_ir.sharding.rules import sharded_results
from treadle_ir.sharding.specialised import typed_over
from treadle_ir.sharding.varying import varying_results


def verify_program(program: Program) -> None:
    """Check a program and all programs nested in it.

    Raises:
        VerifyError: an invariant is broken; the message names the equation by its number (from 0) and shows it.
    """
    for each in inside_out(program):
        _verify_one(each)


verify = verify_program  # the name in this package, where no module has it


def _verify_one(program: Program) -> None:
    defined: set[Value] = set()
    for position, parameter in enumerate(program.parameters):
        if type(parameter) is not Value:
            raise VerifyError(f"parameter {position} is not a value but {parameter!r}", where="")
        problem = _bad_sharding(parameter.type)
        if problem is not None:
            raise VerifyError(f"parameter {position} {problem}", where="")
        if parameter in defined:
            raise VerifyError(f"parameter {position} occurs twice among the parameters", where="")
        defined.add(parameter)
    for index, equation in enumerate(program.equations):
        problem = _problem(equation, defined)
        if problem is not None:
            raise _error(program, index, problem)
        defined.update(equation.results)
    for position, result in enumerate(program.results):
        problem = _atom_problem(result, defined)
        if problem is not None:
            raise VerifyError(f"result {position} of the program {problem}", where="")
    if program.effects != joined(equation.effects for equation in program.equations):
        raise VerifyError(
            "the effects of the program are not the effects of its equations", where=""
        )


def _error(program: Program, index: int, problem: str) -> VerifyError:
    error = VerifyError(
        f"equation {index}: {problem}", where=program.equations[index].source.show()
    )
    error.add_note(f"  in: {print_equation(program, index)}")
    return error


def _atom_problem(atom: object, defined: set[Value]) -> str | None:
    if isinstance(atom, Value):
        return None if atom in defined else "is not defined before it is used"
    if not isinstance(atom, Literal):
        return f"is neither a value nor a literal but {atom!r}"
    if atom.type.sharding is not None:
        return f"is a literal of type {atom.type}, but a literal is the same on each device"
    if atom.type.shape != () or atom.value.dtype != atom.type.dtype:
        return f"is a literal of type {atom.type} that holds {atom.value.dtype}{atom.value.shape}"
    return None


def _problem(equation: Equation, defined: set[Value]) -> str | None:
    for position, operand in enumerate(equation.operands):
        if type(operand) is Value and operand in defined:
            continue
        problem = _atom_problem(operand, defined)
        if problem is not None:
            return f"operand {position} {problem}"
    results = equation.results
    made: tuple[object, ...] = results
    for position, result in enumerate(made):
        if not isinstance(result, Value):
            return f"result {position} is not a value"
        if result in defined or result in results[:position]:
            return f"result {position} is defined already"
    primitive = equation.primitive
    operation: object = primitive
    if not isinstance(operation, Primitive) or isinstance(operation, FunctionCall):
        return "it is not an operation of programs: a function call is staged before it enters a program"
    types = tuple([operand.type for operand in equation.operands])
    if has_programs(primitive) and isinstance(primitive, InlineCall):
        problem = _call_problem(primitive.program.parameter_types, types)
        if problem is not None:
            return problem
    try:
        inferred_types, effects = inferred(primitive, types)
    except TreadleError as error:
        return f"the operands do not fit: {error}"
    except Exception as error:  # a rule that receives operands which no program has
        return f"the operands do not fit: {type(error).__name__}: {error}"
    if len(results) != len(inferred_types):
        return f"it has {len(results)} results, but the operation gives {len(inferred_types)}"
    for position, (value, expected) in enumerate(zip(results, inferred_types, strict=True)):
        if value.type is not expected and value.type.plain is not expected:
            return (
                f"result {position} has the type {value.type}, but the operation gives {expected}"
            )
    if equation.effects != effects:
        return "its effects are not the effects of the operation"
    problem = _varying_problem(equation, types, inferred_types)
    if problem is not None:
        return problem
    for value in results:
        if value.type.sharding is not None:
            return _sharding_problem(equation, value.type.sharding.mesh, inferred_types)
    return None


def _varying_problem(
    equation: Equation, operands: tuple[Type, ...], inferred_types: tuple[Type, ...]
) -> str | None:
    """Return the problem of a result that varies over more axes than its type has; None if no result does.

    A result may vary over fewer axes: where nothing is differentiated any more, casts are left out.
    """
    primitive = equation.primitive
    if not any([type.varying for type in operands]) and not has_programs(primitive):
        return None
    # An invariant sum is so over the axes of a `shard_map` that checks varying axes; other axes are unknown here.
    axes = frozenset(
        [name for name in getattr(primitive, "axis_names", ()) if isinstance(name, str)]
    )
    shared = getattr(primitive, "invariant", False)
    found = varying_results(primitive, operands, inferred_types, axes if shared else INVARIANT)
    for position, (result, expected) in enumerate(zip(equation.results, found, strict=True)):
        if not expected.varying <= result.type.varying:
            return f"result {position} has the type {result.type}, but it varies as {expected} does"
    return None


def _bad_sharding(type: Type) -> str | None:
    """Return the problem of the sharding of a type by itself, or None."""
    sharding = type.sharding
    if sharding is None:
        return None
    named = [*sharding.partial.unreduced, *sharding.partial.reduced]
    named += [name for names in sharding.dims for name in names]
    if len({*named}) != len(named):
        return f"has the type {type}, which names an axis of the mesh twice"
    if not {*named} <= {*sharding.mesh.explicit_axes}:
        return f"has the type {type}, but the explicit axes of its mesh are {sharding.mesh.explicit_axes}"
    return None


def _sharding_problem(
    equation: Equation, mesh: AbstractMesh, inferred_types: tuple[Type, ...]
) -> str | None:
    """Return the problem of the shardings of an equation's results, or None; automatic axes may be known or not."""
    for position, result in enumerate(equation.results):
        problem = _bad_sharding(result.type)
        if problem is not None:
            return f"result {position} {problem}"
    try:
        found = sharded_results(
            equation.primitive, typed_over(equation.operands, mesh), inferred_types, mesh
        )
    except ShardingTypeError as error:
        return f"the shardings of the operands do not fit: {error}"
    for position, (result, expected) in enumerate(zip(equation.results, found, strict=True)):
        given, wanted = result.type.sharding, expected.sharding
        if given is not None and wanted is not None and given is not wanted:
            return (
                f"result {position} has the type {result.type}, but the operation gives {expected}"
            )
    return None


def _call_problem(parameters: tuple[Type, ...], operands: tuple[Type, ...]) -> str | None:
    if len(parameters) != len(operands):
        return f"it calls a program of {len(parameters)} parameters with {len(operands)} operands"
    typed = any([parameter.varying for parameter in parameters])  # otherwise types may be plain
    for position, (parameter, operand) in enumerate(zip(parameters, operands, strict=True)):
        if parameter is not operand and parameter.strong() != operand.strong():
            return f"operand {position} has the type {operand}, but the parameter of the program has {parameter}"
        given, wanted = operand.sharding, parameter.sharding
        apart = given is not None and wanted is not None and given.over(wanted.mesh) is not wanted
        if apart or (typed and not operand.varying <= parameter.varying):
            return f"operand {position} has the type {operand}, but the parameter of the program has {parameter}"
    return None

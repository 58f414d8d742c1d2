"""Carry a rewrite into nested programs: innermost first, each shared program once."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Mapping
from typing import Any

from treadle_ir.core.equality import field_names, has_programs, inside_out, programs_of
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program


def with_nested(primitive: Primitive, programs: Mapping[int, Program]) -> Primitive:
    """Return the same operation with nested programs replaced by others of the same types.

    `programs` has the new programs by the ids of the old ones. Every other attribute stays, also the derivative of a
    staged custom rule: what changes is how the same function is computed.
    """
    if all(programs.get(id(each), each) is each for each in programs_of(primitive)):
        return primitive
    changed: Any = _exchanged(primitive, programs)  # the class of `primitive`
    return changed  # type: ignore[no-any-return]  # the class of `primitive`


def with_primitive(equation: Equation, primitive: Primitive) -> Equation:
    """Return `equation` with another operation; itself if it is the same."""
    return equation if primitive is equation.primitive else equation._replace(primitive=primitive)


def _exchanged(value: Any, programs: Mapping[int, Program]) -> Any:
    """Return an attribute value with its programs replaced. Any: attributes are of any kind."""
    if isinstance(value, Program):
        return programs.get(id(value), value)
    if type(value) is tuple:
        return tuple([_exchanged(each, programs) for each in value])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {}
        for name in field_names(type(value)):
            old = getattr(value, name)
            new = _exchanged(old, programs)
            if new is not old and not (type(old) is tuple and all(map(operator.is_, old, new))):
                changes[name] = new
        return dataclasses.replace(value, **changes) if changes else value
    return value


def map_programs(program: Program, function: Callable[[Program], Program]) -> Program:
    """Apply a rewrite to a program and to all programs nested in it.

    The rewrite keeps the types of parameters and results, and the effects.
    """
    made: dict[int, Program] = {}
    result = program
    for each in inside_out(program):
        result = made[id(each)] = function(rebuilt(each, made))
    return result


def rebuilt(program: Program, made: Mapping[int, Program]) -> Program:
    """Return the program with nested programs replaced; `made` has the new programs by the ids of the old ones."""
    if not made:
        return program
    equations = [
        with_primitive(equation, with_nested(equation.primitive, made))
        if has_programs(equation.primitive)
        else equation
        for equation in program.equations
    ]
    if all(map(operator.is_, equations, program.equations)):
        return program
    return Program(program.parameters, tuple(equations), program.results)

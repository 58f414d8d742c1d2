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

    def exchanged(value: object) -> Program | None:
        return programs.get(id(value), value) if isinstance(value, Program) else None

    changed: Primitive = map_attribute(primitive, exchanged)
    return changed


def with_primitive(equation: Equation, primitive: Primitive) -> Equation:
    """Return `equation` with another operation; itself if it is the same."""
    return equation if primitive is equation.primitive else equation._replace(primitive=primitive)


def map_attribute(value: Any, replaced: Callable[[Any], Any]) -> Any:
    """Return an attribute value with some of its parts replaced; itself if nothing changes.

    Args:
        value: an attribute of any kind, or a primitive.
        replaced: returns what stands for a part, or None to look into it: into tuples and the fields of dataclasses.
    """
    found = replaced(value)
    if found is not None:
        return found
    if type(value) is tuple:
        made = tuple([map_attribute(each, replaced) for each in value])
        return value if all(map(operator.is_, value, made)) else made
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {}
        for name in field_names(type(value)):
            old = getattr(value, name)
            new = map_attribute(old, replaced)
            if new is not old:
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

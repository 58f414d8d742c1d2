"""Programs as text, in the one canonical way: the same text in every process.

Values are numbered in order, parameters first. Nested programs are printed once each, before the programs
that use them, as `@p0`, `@p1`, ...; the program itself is `@main` and comes last. Attributes at their
defaults are left out. `docs/text-format.md` has the grammar.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from treadle_ir.effects import Effects
from treadle_ir.equality import inside_out
from treadle_ir.program import Equation, Program
from treadle_ir.text.attributes import attributes_text, literal_text, quoted
from treadle_ir.types import Type
from treadle_ir.values import Atom, Literal, Value

VERSION: Final = 1


class _Writer:
    """The text of one program, given the names of those nested in it."""

    def __init__(self, program_names: Mapping[int, str], *, locations: bool) -> None:
        self.program_names = program_names
        self.locations = locations
        self.names: dict[Value, str] = {}
        self.attributes: dict[int, str] = {}
        self.literals: dict[int, str] = {}
        self.types: dict[Type, str] = {}
        self.effects: dict[Effects, str] = {}
        self.places: dict[tuple[int, int], str] = {}

    def define(self, value: Value) -> str:
        type = self.types.get(value.type)
        if type is None:
            type = self.types[value.type] = str(value.type)
        name = self.names[value] = f"%{len(self.names)}"
        return f"{name}: {type}"

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, Literal):
            text = self.literals.get(id(atom))
            if text is None:
                text = self.literals[id(atom)] = literal_text(atom)
            return text
        return self.names.get(atom, "%undefined")

    def equation(self, equation: Equation) -> str:
        names = self.names
        primitive = equation.primitive
        operands = [
            names.get(x) or self.atom(x) if type(x) is Value else self.atom(x)
            for x in equation.operands
        ]
        text = f"{primitive.name} {', '.join(operands)}" if operands else primitive.name
        attributes = self.attributes.get(id(primitive))
        if attributes is None:
            attributes = self.attributes[id(primitive)] = attributes_text(
                primitive, self.program_names
            )
        text += attributes
        if equation.effects:
            text += self.effects_text(equation.effects)
        if self.locations:
            text += self.location(equation)
        if equation.results:
            results = [self.define(result) for result in equation.results]
            return f"{', '.join(results)} = {text}"
        return text

    def effects_text(self, effects: Effects) -> str:
        found = self.effects.get(effects)
        if found is None:
            names = sorted({effect.name for effect in effects})
            found = self.effects[effects] = "".join(f" !{name}" for name in names)
        return found

    def location(self, equation: Equation) -> str:
        source = equation.source
        if not source.file:
            return ""
        key = (id(source.code) if source.code is not None else id(source), source.offset)
        found = self.places.get(key)
        if found is None:
            found = self.places[key] = f" @ {quoted(source.file)}:{source.line}"
        return found

    def program(self, program: Program, name: str) -> list[str]:
        self.names = {}
        parameters = ", ".join([self.define(parameter) for parameter in program.parameters])
        results = ", ".join([str(type) for type in program.result_types])
        lines = [f"program @{name}({parameters}) -> ({results}) {{"]
        lines.extend(["  " + self.equation(equation) for equation in program.equations])
        returned = ", ".join([self.atom(result) for result in program.results])
        lines.append(f"  return {returned}" if returned else "  return")
        lines.append("}")
        return lines


def print_program(program: Program, *, locations: bool = False) -> str:
    """A program as text, with its nested programs; `parse_program` reads it back.

    With `locations`, each equation ends with the place in the user's code that it comes from.

    Example:
        >>> from treadle_ir import ArrayType, dtypes, ops, stage
        >>> f32 = dtypes.BY_NAME["f32"]
        >>> print(print_program(stage(lambda x: [ops.add(x, f32.type(1))], ArrayType((3,), f32)).program))
        treadle 1
        <BLANKLINE>
        program @main(%0: f32[3]) -> (f32[3]) {
          %1: f32[3] = add %0, 1.0:f32
          return %1
        }
        <BLANKLINE>
    """
    names: dict[int, str] = {}
    writer = _Writer(names, locations=locations)
    lines = [f"treadle {VERSION}"]
    for each in inside_out(program):
        name = "main" if each is program else f"p{len(names)}"
        names[id(each)] = name
        lines.append("")
        lines.extend(writer.program(each, name))
    lines.append("")
    return "\n".join(lines)


def print_equation(program: Program, index: int) -> str:
    """One equation of a program as text, as `print_program` shows it; also of programs that break a promise."""
    names = {id(each): f"p{number}" for number, each in enumerate(inside_out(program))}
    writer = _Writer(names, locations=False)
    for parameter in program.parameters:
        writer.define(parameter)
    for equation in program.equations[:index]:
        for result in equation.results:
            writer.define(result)
    return writer.equation(program.equations[index])

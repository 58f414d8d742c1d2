"""Programs as text, in one canonical form: the same text in every process.

Values are numbered in order, parameters first. Nested programs are printed once each, before the programs
that use them, as `@p0`, `@p1`, ...; the program itself is `@main` and comes last. Attributes at their
defaults are left out. `docs/text-format.md` has the grammar.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType, dtype_name
from treadle_ir.core.effects import Effects
from treadle_ir.core.equality import inside_out
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.registry import find_class
from treadle_ir.core.sizes import Symbolic, is_symbolic, scope_of
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.values import Atom, Literal, Value

VERSION: Final = 1


# --- attributes and literals ----------------------------------------------------------------------------


def quoted(text: str) -> str:
    """Return a string in double quotes, printable ASCII only."""
    parts = ['"']
    for character in text:
        code = ord(character)
        if character in '"\\':
            parts.append("\\" + character)
        elif 32 <= code < 127:
            parts.append(character)
        else:
            parts.append(f"\\u{{{code:x}}}")
    parts.append('"')
    return "".join(parts)


def bits_of(value: np.generic) -> int:
    """Return the bits of a real floating scalar as an integer."""
    return int.from_bytes(value.tobytes(), sys.byteorder)


def _real_text(value: np.generic) -> str:
    """Return the shortest decimal that reads back as the same bits; `nan(0x...)` if it is not the default nan."""
    dtype = value.dtype
    number = float(value)
    if number != number:
        if bits_of(value) == bits_of(dtype.type("nan")):
            return "nan"
        return f"nan(0x{bits_of(value):x})"
    if number in (np.inf, -np.inf):
        return "inf" if number > 0 else "-inf"
    if dtype == np.float64:
        return repr(number)
    with np.errstate(all="ignore"):
        for digits in range(1, 18):
            text = repr(float(f"{number:.{digits}g}"))
            if dtype.type(float(text)) == value:
                return text
    raise AssertionError("17 digits tell all doubles apart")


def literal_value_text(value: np.generic) -> str:
    """Return a scalar as text, without its type."""
    dtype = value.dtype
    if dtype == np.bool_:
        return "True" if value else "False"
    if dtypes.is_integer(dtype):
        return str(int(value))
    if dtypes.is_floating(dtype):
        return _real_text(value)
    if dtypes.is_complex(dtype):
        return f"({_real_text(value.real)}, {_real_text(value.imag)})"
    if dtypes.is_key(dtype):
        return str(dtypes.key_number(value))  # all words as one number
    return "zero"  # f0 has one value


def literal_text(literal: Literal) -> str:
    """Return a literal as text, with its type: `1.0:f32`, `2:i32*` when weak."""
    text = literal_value_text(literal.value)
    return f"{text}:{dtype_name(literal.type.dtype)}{'*' if literal.type.weak else ''}"


def opaque_text(value: object) -> str:
    """Return the placeholder for a value that the text format cannot represent, such as a Python function."""
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    return f"<opaque {re.sub(r'[^A-Za-z0-9_.]', '_', str(name))}>"


def value_text(value: object, program_names: Mapping[int, str]) -> str:
    """Return an attribute's value as text. `program_names` has the name of each nested program by its id."""
    if value is None or value is True or value is False:
        return str(value)
    if isinstance(value, Symbolic):
        return f"[{value}]"
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, complex)) and not isinstance(value, np.generic):
        # Python's numbers are doubles, and the bits of their nans are printed, too.
        if isinstance(value, float):
            return literal_value_text(np.float64(value))
        return literal_value_text(np.complex128(value)) + "j"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple):
        if type(value) is not tuple and hasattr(value, "_fields"):
            return opaque_text(value)
        inner = [value_text(each, program_names) for each in value]
        return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
    if isinstance(value, Program):
        return "@" + program_names[id(value)]
    if isinstance(value, (np.dtype, dtypes.ExtendedDType)):
        return dtype_name(dtypes.element_type(value)) if _is_named(value) else opaque_text(value)
    if isinstance(value, Type):
        return str(value)
    if isinstance(value, Literal):
        return literal_text(value)
    if isinstance(value, frozenset):
        return f"set({', '.join(sorted(value_text(each, program_names) for each in value))})"
    if isinstance(value, np.generic) and _is_named(value.dtype):
        return f"scalar({literal_value_text(value)}:{dtype_name(value.dtype)})"
    if isinstance(value, np.ndarray) and _is_named(value.dtype):
        elements = np.ascontiguousarray(value).tobytes().hex()  # bytes in little-endian order
        return f'dense({ArrayType(value.shape, value.dtype)}, x"{elements}")'
    if (
        is_dataclass(value)
        and not isinstance(value, type)
        and find_class(type(value).__name__) is type(value)
    ):
        return f"{type(value).__name__}({', '.join(_field_texts(value, program_names))})"
    return opaque_text(value)


def _is_named(dtype: DType | dtypes.ExtendedDType) -> bool:
    """Return whether the text format has a name for an element type; types that libraries define have none."""
    return dtypes.element_type_of(dtype) in dtypes.NAMES


def _field_texts(value: Any, program_names: Mapping[int, str]) -> Iterator[str]:
    """Yield `name=value` for each field that is not at its default. Any: any dataclass."""
    for field in constructor_fields(type(value)):  # type: ignore[arg-type]  # the hash of the class
        text = value_text(getattr(value, field.name), program_names)
        if field.default is MISSING or text != value_text(field.default, program_names):
            yield f"{field.name}={text}"


def attributes_text(primitive: Primitive, program_names: Mapping[int, str]) -> str:
    """Return ` {name=value, ...}` for the attributes that are not at their defaults; empty if all are."""
    if not constructor_fields(type(primitive)):
        return ""
    texts = ", ".join(_field_texts(primitive, program_names))
    return f" {{{texts}}}" if texts else ""


@lru_cache(maxsize=1024)
def constructor_fields(cls: type) -> tuple[Field[Any], ...]:
    """Return the fields that a dataclass's constructor takes. Any: a field of whatever type."""
    return tuple([field for field in fields(cls) if field.init]) if is_dataclass(cls) else ()


# --- programs -------------------------------------------------------------------------------------------


class _Writer:
    """Writes the text of programs, given the names of the programs nested in them."""

    def __init__(self, program_names: Mapping[int, str], *, locations: bool) -> None:
        self.program_names = program_names
        self.locations = locations
        self.names: dict[Value, str] = {}
        self.attributes: dict[int, str] = {}
        self.literals: dict[int, str] = {}
        self.types: dict[Type, str] = {}
        self.meshes: dict[AbstractMesh, str] = {}
        self.effects: dict[Effects, str] = {}
        self.places: dict[tuple[int, int], str] = {}

    def define(self, value: Value) -> str:
        type = self.types.get(value.type)
        if type is None:
            type = self.types[value.type] = self.type(value.type)
        name = self.names[value] = f"%{len(self.names)}"
        return f"{name}: {type}"

    def type(self, type: Type) -> str:
        """Return a type as text, with the name of its mesh unless that is the first one."""
        if not isinstance(type, ArrayType) or type.sharding is None:
            return str(type)
        mesh = type.sharding.mesh
        name = self.meshes.get(mesh)
        if name is None:
            name = self.meshes[mesh] = f"@mesh{len(self.meshes)}"
        return type.text("" if name == "@mesh0" else name)

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
        results = ", ".join([self.type(type) for type in program.result_types])
        lines = [f"program @{name}({parameters}) -> ({results}) {{"]
        lines.extend(["  " + self.equation(equation) for equation in program.equations])
        returned = ", ".join([self.atom(result) for result in program.results])
        lines.append(f"  return {returned}" if returned else "  return")
        lines.append("}")
        return lines


def print_program(program: Program, *, locations: bool = False) -> str:
    """Return a program as text, with its nested programs; `parse_program` reads it back.

    With `locations`, each equation ends with the place in the user's code that it comes from.

    Example:
        >>> from treadle_ir import ArrayType, ops, stage
        >>> from treadle_ir.core import dtypes
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
    lines: list[str] = []
    for each in inside_out(program):
        name = "main" if each is program else f"p{len(names)}"
        names[id(each)] = name
        lines.append("")
        lines.extend(writer.program(each, name))
    lines.append("")
    heading = [f"treadle {VERSION}", *_constraints(program), *_meshes(writer)]
    return "\n".join([*heading, *lines])


def _meshes(writer: _Writer) -> list[str]:
    """Return the lines that define the meshes of shardings; types that do not name a mesh have the first one."""
    lines = [
        f"mesh {name} = {value_text(mesh, writer.program_names)}"
        for mesh, name in writer.meshes.items()
    ]
    return ["", *lines] if lines else []


def _constraints(program: Program) -> list[str]:
    """Return the lines with the constraints on symbolic sizes, whose scope the parameters' types hold."""
    shapes = [type.shape for type in program.parameter_types if isinstance(type, ArrayType)]
    scope = scope_of(shapes) if any(map(is_symbolic, shapes)) else None
    if scope is None or not scope.constraints:
        return []
    return ["", f"where {', '.join(map(quoted, scope.constraints))}"]


def print_equation(program: Program, index: int) -> str:
    """Return one equation of a program as `print_program` shows it; the program may be invalid."""
    names = {id(each): f"p{number}" for number, each in enumerate(inside_out(program))}
    writer = _Writer(names, locations=False)
    for parameter in program.parameters:
        writer.define(parameter)
    for equation in program.equations[:index]:
        for result in equation.results:
            writer.define(result)
    return writer.equation(program.equations[index])

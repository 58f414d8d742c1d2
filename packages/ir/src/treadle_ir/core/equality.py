"""Equality and hash of programs up to the names of their values.

Two programs are equal when they have the same types, the same equations in the same order, wired in the same
way, and equal results; nested programs count by their structure, not by identity. Attributes are compared
exactly: 0.0 is not -0.0, nan equals nan, True is not 1. Where in the user's code an equation comes from does
not matter.

Programs are numbered bottom-up: a program's key mentions nested programs by number only, so nothing here
recurses on the size or the depth of a program, and shared nested programs are visited once.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Final, NamedTuple, final

import numpy as np

from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.core.values import Atom, Literal, Value


@lru_cache(maxsize=1024)
def field_names(cls: type) -> tuple[str, ...]:
    """Return the names of the fields that a dataclass's constructor takes, in order; empty for other classes."""
    found = fields(cls) if is_dataclass(cls) else ()
    return tuple([each.name for each in found if each.init])


_ONLY_INTS: Final = frozenset({int})


def has_programs(primitive: Primitive) -> bool:
    """Return whether the class of a primitive can hold nested programs."""
    return type(primitive).programs is not Primitive.programs


def programs_of(primitive: Primitive) -> tuple[Program, ...]:
    """Return the programs that a primitive's attributes hold, each once, in the order of the attributes."""
    if not has_programs(primitive):
        return ()
    found: dict[int, Program] = {}
    stack: list[object] = [primitive]
    while stack:
        value = stack.pop()
        if isinstance(value, Program):
            found.setdefault(id(value), value)
        elif isinstance(value, tuple):
            stack.extend(reversed(value))
        elif is_dataclass(value) and not isinstance(value, type):
            stack.extend(getattr(value, name) for name in reversed(field_names(type(value))))
    for program in primitive.programs().values():
        found.setdefault(id(program), program)
    return tuple(found.values())


def contained(program: Program) -> list[Program]:
    """Return the programs that the equations of a program hold, in order; one for each equation that holds it."""
    return [
        each
        for equation in program.equations
        if has_programs(equation.primitive)
        for each in programs_of(equation.primitive)
    ]


def is_deferred(program: Program) -> bool:
    """Return whether a program, or a program nested in it, holds a derivative rule that may differ from run to run.

    Such a rule is a user's Python function; transformations of an equal program may give different results.
    """
    return _nesting(program).deferred


@final
class _Nesting(NamedTuple):
    """Cached facts about a program and the programs nested in it, so that each is analysed once."""

    depth: int  # 0 if no program is nested
    deferred: bool


def _nesting(program: Program) -> _Nesting:
    stack = [program]
    while stack:
        each = stack[-1]
        if _Nesting not in each.derived:
            inner = contained(each)
            unknown = [nested for nested in inner if _Nesting not in nested.derived]
            if unknown:
                stack += unknown
                continue
            found = [nested.derived[_Nesting] for nested in inner]
            each.derived[_Nesting] = _Nesting(
                1 + max([known.depth for known in found], default=-1),
                any([known.deferred for known in found])
                or any([equation.primitive.is_deferred() for equation in each.equations]),
            )
        stack.pop()
    made: _Nesting = program.derived[_Nesting]
    return made


def inside_out(*roots: Program, known: Container[int] = ()) -> Iterator[Program]:
    """Yield the roots and all programs nested in them, each once, every program after the programs that it contains.

    Programs whose ids are `known` are left out, with the programs that they contain.
    """
    entered: set[int] = set()
    stack: list[tuple[Program, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        program, ready = stack.pop()
        if ready:
            yield program
        elif id(program) not in entered and id(program) not in known:
            entered.add(id(program))
            stack.append((program, True))
            inner = reversed(contained(program))
            stack.extend((each, False) for each in inner if id(each) not in entered)


def exact_key(value: object, number: Mapping[int, int]) -> Hashable:
    """Return a key that two attribute values share only if they are the same, to the bit and to the type.

    `number` has a number for each nested program, by its id.
    """
    kind = type(value)
    if kind is int or kind is str:
        return value
    if kind is tuple:
        assert isinstance(value, tuple)
        if _ONLY_INTS.issuperset(map(type, value)):
            return value
        return kind, tuple([exact_key(each, number) for each in value])
    if isinstance(value, Primitive):
        names = field_names(kind)  # type: ignore[arg-type]  # the hash of the class
        if not names:
            return value  # it has no attributes, or an equality of its own
        return kind, tuple([exact_key(getattr(value, name), number) for name in names])
    if kind is bool or value is None:
        return kind, value
    if kind is float:
        return float, struct.pack("<d", value)
    if kind is complex:
        assert isinstance(value, complex)
        return complex, struct.pack("<dd", value.real, value.imag)
    if isinstance(value, Program):
        return Program, number[id(value)]
    if isinstance(value, tuple):  # a named one
        return kind, tuple([exact_key(each, number) for each in value])
    if isinstance(value, Literal):
        return Literal, value.key
    if isinstance(value, np.integer):
        return int(value)  # written and read as a Python integer
    if isinstance(value, (np.generic, np.ndarray)):
        return kind, value.shape, value.dtype, value.tobytes()
    if is_dataclass(value) and not isinstance(value, type):
        return kind, tuple([exact_key(getattr(value, name), number) for name in field_names(kind)])  # type: ignore[arg-type]  # the hash of the class
    return value  # types, effects, enumerations, and Python functions: by their own equality


def _key(program: Program, number: Mapping[int, int], primitives: dict[int, Hashable]) -> Hashable:
    place: dict[Value, int] = {}
    for parameter in program.parameters:
        place[parameter] = len(place)
    equations: list[Hashable] = []
    for equation in program.equations:
        primitive = equation.primitive
        key = primitives.get(id(primitive))
        if key is None:
            key = primitives[id(primitive)] = exact_key(primitive, number)
        operands = tuple([place[x] if type(x) is Value else x.key for x in equation.operands])
        for result in equation.results:
            place[result] = len(place)
        types = tuple([result.type for result in equation.results])
        equations.append((key, operands, types, equation.effects))
    results = tuple([place[x] if type(x) is Value else x.key for x in program.results])
    return program.parameter_types, tuple(equations), results


@final
class Numbering:
    """Numbers for programs: equal programs get the same number. Keeps the programs that it has seen alive."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._primitives: dict[int, Hashable] = {}
        self._kept: list[Program] = []
        self.of: dict[int, int] = {}  # by the id of a program

    def number(self, program: Program) -> int:
        """Return the number that all programs equal to `program` share."""
        if id(program) not in self.of:
            for each in inside_out(program, known=self.of):
                key = _key(each, self.of, self._primitives)
                self._kept.append(each)
                self.of[id(each)] = self._numbers.setdefault(key, len(self._numbers))
        return self.of[id(program)]

    def primitive_key(self, primitive: Primitive) -> Hashable:
        """Return a key that two primitives share if they have the same class and equal attributes."""
        for program in programs_of(primitive):
            self.number(program)
        return exact_key(primitive, self.of)


def equal_programs(left: Program, right: Program) -> bool:
    """Return whether two programs are the same up to the names of their values.

    Example:
        >>> from treadle_ir.text import parse_program, print_program
        >>> program = parse_program("treadle 1\\nprogram @main(%x: f32[]) {\\n  return %x\\n}\\n")
        >>> equal_programs(program, parse_program(print_program(program)))
        True
    """
    if left is right:
        return True
    equal = _side_by_side(left, right)
    if equal is None:
        numbering = Numbering()
        equal = numbering.number(left) == numbering.number(right)
    return equal


def _side_by_side(left: Program, right: Program) -> bool | None:
    """Compare two programs equation by equation, in about half of the time that numbering them takes.

    Return None if one of them shares a nested program of which the other holds copies: numbering decides then.
    """
    number: dict[int, int] = {}  # one for both of a pair, by their ids
    pairs = [(left, right)]
    for one, other in pairs:  # grows by the nested programs that are found
        if (
            len(one.equations) != len(other.equations)
            or len(one.results) != len(other.results)
            or one.parameter_types != other.parameter_types
        ):
            return False
        partner = dict(zip(one.parameters, other.parameters, strict=True))
        for mine, yours in zip(one.equations, other.equations, strict=True):
            primitive, its = mine.primitive, yours.primitive
            if primitive is not its:
                if type(primitive) is not type(its):
                    return False
                if not has_programs(primitive):
                    if not _same_attributes(primitive, its, number):
                        return False
                else:
                    nested = programs_of(primitive), programs_of(its)
                    if _deepest(nested[0]) != _deepest(nested[1]):
                        return False  # without comparing their equations
                    if not _paired(*nested, number, pairs) or (
                        not _same_attributes(primitive, its, number)
                    ):
                        return None
            if mine.effects is not yours.effects and mine.effects != yours.effects:
                return False
            if not _same_atoms(mine.operands, yours.operands, partner):
                return False
            if len(mine.results) != len(yours.results):
                return False
            for result, counterpart in zip(mine.results, yours.results, strict=True):
                if result.type is not counterpart.type and result.type != counterpart.type:
                    return False
                partner[result] = counterpart
        if not _same_atoms(one.results, other.results, partner):
            return False
    return True


def _same_attributes(one: Primitive, other: Primitive, number: Mapping[int, int]) -> bool:
    """Return whether two primitives of one class have the same attributes, to the bit and to the type."""
    names = field_names(type(one))
    if not names:  # they have no attributes, or an equality of their own
        return one == other
    for name in names:
        x, y = getattr(one, name), getattr(other, name)
        if x is not y and exact_key(x, number) != exact_key(y, number):
            return False
    return True


def _deepest(programs: Sequence[Program]) -> int:
    """Return the greatest nesting depth of some programs; -1 if there are none."""
    return max([_nesting(each).depth for each in programs], default=-1)


def _paired(
    ours: Sequence[Program],
    theirs: Sequence[Program],
    number: dict[int, int],
    pairs: list[tuple[Program, Program]],
) -> bool:
    """Number the programs of each pair alike and queue them for comparison; return False if a numbering contradicts."""
    if len(ours) != len(theirs):
        return False
    for one, other in zip(ours, theirs, strict=True):
        first, second = number.get(id(one)), number.get(id(other))
        if first is None and second is None:
            number[id(one)] = number[id(other)] = len(number)
            if one is not other:
                pairs.append((one, other))
        elif first != second:
            return False
    return True


def _same_atoms(ours: Sequence[Atom], theirs: Sequence[Atom], partner: dict[Value, Value]) -> bool:
    """Return whether atoms match one by one: values with their partners, literals with equal literals."""
    if len(ours) != len(theirs):
        return False
    for x, y in zip(ours, theirs, strict=True):
        if type(x) is Value:
            if partner.get(x) is not y:
                return False
        elif type(y) is Value or x.key != y.key:
            return False
    return True


def program_hash(program: Program) -> int:
    """Return a hash that equal programs share, in this process (`hash` of strings differs between processes)."""
    hashes: dict[int, int] = {}
    primitives: dict[int, Hashable] = {}
    for each in inside_out(program):
        hashes[id(each)] = hash(_key(each, hashes, primitives))
    return hashes[id(program)]

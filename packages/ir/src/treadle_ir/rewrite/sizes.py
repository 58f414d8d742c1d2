"""Programs for other sizes: symbolic dimensions are replaced by known sizes, or by dimensions of another scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from treadle_ir.core.equality import inside_out
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.sizes import Symbolic, is_symbolic
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Atom, Value
from treadle_ir.errors.kinds import TreadleError
from treadle_ir.rewrite.nested import map_attribute
from treadle_ir.rewrite.plain import plain
from treadle_ir.symbolic.dimension import SymbolicDimension
from treadle_ir.symbolic.scope import SymbolicScope

Values = Mapping[str, SymbolicDimension | int]


def substitute(program: Program, values: Values, scope: SymbolicScope) -> Program:
    """Return the program with sizes for the names of its symbolic dimensions, in types and attributes, also nested.

    Custom derivative rules are removed, since they are functions of arrays of the symbolic shapes.

    Args:
        program: a program.
        values: a size for each name, known or of `scope`.
        scope: the scope of the sizes that are symbolic.

    Raises:
        ShapeError: an operation cannot have these sizes.
    """
    substitution = _Substitution(values, scope)
    start = plain(program)
    for each in inside_out(start):
        substitution.programs[id(each)] = substitution.program(each)
    return substitution.programs[id(start)]


@final
class _Substitution:
    def __init__(self, values: Values, scope: SymbolicScope) -> None:
        self.values = values
        self.scope = scope
        self.programs: dict[int, Program] = {}  # the new programs, by the ids of the old ones
        self.primitives: dict[int, Primitive] = {}
        self.types: dict[Type, Type] = {}

    def type(self, type: Type) -> Type:
        if not isinstance(type, ArrayType) or not is_symbolic(type.shape):
            return type
        found = self.types.get(type)
        if found is None:
            found = self.types[type] = type.with_shape(
                map_attribute(type.shape, self.replaced)
            ).with_sharding(type.sharding)
        return found

    def program(self, program: Program) -> Program:
        """Return the program with sizes; its nested programs have been replaced already."""
        values: dict[Value, Value] = {}
        for each in program.parameters:
            values[each] = Value(self.type(each.type))
        equations: list[Equation] = []
        for equation in program.equations:
            primitive = self.primitive(equation.primitive)
            operands = self.atoms(equation.operands, values)
            try:
                types, effects = inferred(primitive, tuple([each.type for each in operands]))
            except TreadleError as error:
                error.add_note(
                    f"  while: giving sizes to {equation.source.show() or primitive.name}"
                )
                raise
            results = tuple(
                [
                    Value(new.distributed_as(old.type))
                    for new, old in zip(types, equation.results, strict=True)
                ]
            )
            values.update(zip(equation.results, results, strict=True))
            equations.append(Equation(primitive, operands, results, effects, equation.source))
        parameters = tuple([values[each] for each in program.parameters])
        return Program(parameters, tuple(equations), self.atoms(program.results, values))

    def atoms(self, atoms: tuple[Atom, ...], values: Mapping[Value, Value]) -> tuple[Atom, ...]:
        return tuple([values[each] if isinstance(each, Value) else each for each in atoms])

    def primitive(self, primitive: Primitive) -> Primitive:
        found = self.primitives.get(id(primitive))
        if found is None:
            found = self.primitives[id(primitive)] = map_attribute(primitive, self.replaced)
        return found

    def replaced(self, value: object) -> object:
        """Return what stands for a part of an attribute: a number for a size, programs and types with numbers."""
        if isinstance(value, Symbolic):
            assert isinstance(value, SymbolicDimension)
            return value.at(self.values, self.scope)
        if isinstance(value, Program):
            return self.programs.get(id(value), value)
        return self.type(value) if isinstance(value, Type) else None

"""What occurs in a program: collected once, so that a pass without work costs nothing."""

from __future__ import annotations

from typing import final

from treadle_compiler.kept import kept
from treadle_ir import Primitive, Program, Type
from treadle_ir.process import frozen
from treadle_ir.rewrite import inside_out


@final
@frozen
class Features:
    """The classes of operations in a program and in those nested in it, and the types of values."""

    primitives: frozenset[type[Primitive]]
    types: frozenset[Type]


def programs_in(program: Program) -> tuple[Program, ...]:
    """Return the program and those nested in it, each after those that it contains; the program keeps the list."""
    found: tuple[Program, ...] = kept(program, "inside out", lambda: tuple(inside_out(program)))
    return found


def features_of(program: Program) -> Features:
    """Collect what occurs in a program and in the programs nested in it; the program keeps the answer.

    Example:
        >>> from treadle_ir import ArrayType, ops, stage
        >>> from treadle_ir.core import dtypes
        >>> x = ArrayType((3,), dtypes.BY_NAME["f32"])
        >>> [each.name for each in features_of(stage(lambda x: [ops.sine(x)], x).program).primitives]
        ['sine']
    """
    found: Features = kept(program, "features", lambda: _features_of(program))
    return found


def _features_of(program: Program) -> Features:
    primitives: set[type[Primitive]] = set()
    types: set[Type] = set()
    for each in programs_in(program):
        types.update([x.type for x in each.parameters])
        for primitive, operands, results, _, _ in each.equations:
            primitives.add(type(primitive))
            for x in operands:
                types.add(x.type)
            for x in results:
                types.add(x.type)
    return Features(frozenset(primitives), frozenset(types))

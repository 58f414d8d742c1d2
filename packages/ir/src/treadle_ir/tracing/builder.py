"""Build a program by hand, one equation at a time: for tests, tools and rewrites."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.errors.source import NOWHERE, Source
from treadle_ir.tracing.array import type_of


@final
class Builder:
    """A program under construction.

    Example:
        >>> from treadle_ir import ArrayType
        >>> from treadle_ir.core import dtypes
        >>> from treadle_ir.primitives.elementwise import Multiply, Sine
        >>> build = Builder()
        >>> x = build.parameter(ArrayType((3,), dtypes.BY_NAME["f32"]))
        >>> y = build.apply(Multiply(), build.apply(Sine(), x), x)
        >>> len(build.program(y).equations)
        2
    """

    def __init__(self) -> None:
        self.parameters: list[Value] = []
        self.equations: list[Equation] = []

    def parameter(self, type: Type) -> Value:
        """Add a parameter after the existing ones, and return it."""
        value = Value(type)
        self.parameters.append(value)
        return value

    def literal(
        self, value: bool | int | float | complex | np.generic, type: Type | None = None
    ) -> Literal:
        """Return a scalar constant, of the element type of `type` if that is given (and weak if it is)."""
        if type is None:
            type = type_of(value)
        assert isinstance(type, ArrayType)
        scalar: Any = np.asarray(value).astype(type.dtype)[()]  # Any: a scalar of whatever type
        return Literal(scalar, ArrayType((), type.dtype, type.weak))

    def apply(self, primitive: Primitive, *operands: Atom, source: Source = NOWHERE) -> Value:
        """Add an equation that has one result, and return the result.

        Raises:
            ShapeError, DTypeError: the operands have unsuitable types.
        """
        (result,) = self.apply_many(primitive, *operands, source=source)
        return result

    def apply_many(
        self, primitive: Primitive, *operands: Atom, source: Source = NOWHERE
    ) -> tuple[Value, ...]:
        """Add an equation with any number of results, and return the results.

        Raises:
            ShapeError, DTypeError: the operands have unsuitable types.
        """
        types, effects = inferred(primitive, tuple([operand.type for operand in operands]))
        results = tuple([Value(type) for type in types])
        self.equations.append(Equation(primitive, operands, results, effects, source))
        return results

    def program(self, *results: Atom) -> Program:
        """Return the program with these results."""
        return Program(tuple(self.parameters), tuple(self.equations), results)

"""The abstract families: one rule per transformation serves all members.

A rule is looked up by class, then by the class's abstract families, never by another concrete primitive:
a rule inherited from a concrete primitive would be silently wrong for what the subclass adds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from treadle_ir.primitive import Primitive
from treadle_ir.program import Program
from treadle_ir.types import Type

if TYPE_CHECKING:
    from treadle_ir.array import Operand, Operands

Sources: TypeAlias = tuple[int | None, ...]


class Elementwise(Primitive):
    """Family: operands of one shape, or scalars (rank 0) that are spread over it; that shape out."""

    __slots__ = ()


class InlineCall(Primitive):
    """Family: applying it means inlining `program`. One rule per transformation serves all."""

    __slots__ = ()
    program: Program

    @abstractmethod
    def rebuilt(self, program: Program, sources: Sources) -> InlineCall:
        """This call around a transformed program.

        `sources[i]` says which old operand new operand `i` comes from (None: none), so that
        attributes that speak about operands (donation, labels, placement) can follow.
        """

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The types of the program's results."""
        return self.program.result_types

    def programs(self) -> Mapping[str, Program]:
        """The one program that is called."""
        return {"program": self.program}

    def with_programs(self, programs: Mapping[str, Program]) -> Primitive:
        """The same call around another program with the same parameters."""
        program = programs["program"]
        return self.rebuilt(program, tuple(range(len(program.parameters))))


class FunctionCall(Primitive):
    """Family: bodies are still Python functions on flat operands, so `if` works on concrete values.

    `EvalTrace` runs them with `call`; `StagingTrace` records `staged(...)` in their place.
    """

    __slots__ = ()
    is_function: ClassVar[bool] = True
    __eq__ = object.__eq__  # Python functions have nothing to compare
    __hash__ = object.__hash__

    @abstractmethod
    def call(self, operands: Operands) -> Operands:
        """Run the function now."""

    @abstractmethod
    def staged(self, types: tuple[Type, ...]) -> tuple[Primitive, tuple[Operand, ...]]:
        """The primitive that stands for this call in a program, and the operands it captured (they go first)."""

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Known only by staging: `staged(...)` has the types."""
        raise AssertionError("a FunctionCall is never recorded, so it is never inferred")

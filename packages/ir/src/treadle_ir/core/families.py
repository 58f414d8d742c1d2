"""The abstract families: what many primitives share, stated once.

A rule is looked up by class, then by the class's abstract families, never by another concrete primitive:
a rule inherited from a concrete primitive would silently ignore what the subclass adds. So one rule of a
family serves all members: the batch rule of `Elementwise`, the size up to which NumPy evaluates a `Sorting`.
A user-defined primitive belongs to the family from which it derives, wherever it is defined.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from treadle_ir.core.flows import Flows, call_flows
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.core.types import Type

if TYPE_CHECKING:
    from treadle_ir.tracing.array import Operand, Operands

Sources: TypeAlias = tuple[int | None, ...]


class Elementwise(Primitive):
    """Family: operands of one shape, or scalars (rank 0) that are broadcast to it; results of that shape."""

    __slots__ = ()
    may_alias: ClassVar[bool] = False


class Conversion(Elementwise):
    """Family: the same elements in another element type."""

    __slots__ = ()
    may_alias: ClassVar[bool] = True


class Rearrangement(Primitive):
    """Family: moves the operands' elements to other positions, with constants between them; computes nothing."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    computes: ClassVar[bool] = False


class Indexing(Primitive):
    """Family: reads or writes elements at positions that other operands give."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    computes: ClassVar[bool] = False


class OverMesh(Primitive):
    """Family: refers to the axes of a mesh; `device_ids` are its devices, empty if any devices will do."""

    __slots__ = ()
    mesh: AbstractMesh
    device_ids: tuple[int, ...]


class Creation(Primitive):
    """Family: no operands."""

    __slots__ = ()
    computes: ClassVar[bool] = False
    may_alias: ClassVar[bool] = False


class Sorting(Primitive):
    """Family: puts elements in order."""

    __slots__ = ()
    computes: ClassVar[bool] = False
    may_alias: ClassVar[bool] = False


class Reducing(Primitive):
    """Family: combines the elements along axes, which the results no longer have."""

    __slots__ = ()
    may_alias: ClassVar[bool] = False


class Accumulating(Primitive):
    """Family: running sums and their like along one axis."""

    __slots__ = ()
    may_alias: ClassVar[bool] = False


class Windowing(Primitive):
    """Family: combines or selects the elements within windows that slide over an array."""

    __slots__ = ()
    may_alias: ClassVar[bool] = False


class Contraction(Primitive):
    """Family: sums of products: matrix products and convolutions."""

    __slots__ = ()
    may_alias: ClassVar[bool] = False


class LinearAlgebra(Primitive):
    """Family: solves with, or factorises, the matrices in the last two axes; the leading axes are a batch."""

    __slots__ = ()
    may_alias: ClassVar[bool] = False


class Randomness(Primitive):
    """Family: random bits from keys."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    may_alias: ClassVar[bool] = False


class ControlFlow(Primitive):
    """Family: branches and loops around nested programs."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True


class InlineCall(Primitive):
    """Family: applying it means inlining `program`. One rule per transformation serves all."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    program: Program

    @abstractmethod
    def rebuilt(self, program: Program, sources: Sources) -> InlineCall:
        """Return this call around a transformed program.

        New operand `i` is old operand `sources[i]` (None: a new one), so that
        attributes that refer to operands (donation, labels, placement) can follow.
        """

    def differentiated(self, program: Program, sources: Sources) -> InlineCall:
        """Return this call around a linear program that differentiation made of it, or around the transpose of one."""
        return self.rebuilt(program, sources)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types of the program's results."""
        return self.program.result_types

    def programs(self) -> Mapping[str, Program]:
        """Return the one program that is called."""
        return {"program": self.program}

    def with_regions(self, programs: Sequence[Program]) -> Primitive:
        """Return the same call of another program, also with its derivative rule if it has one."""
        (program,) = programs
        made: Primitive = replace(self, program=program)  # type: ignore[type-var]  # a dataclass
        return made

    def flows(self) -> Flows:
        """Return the flows: operands to parameters, results to results."""
        return call_flows(self.program)


class FunctionCall(Primitive):
    """Family: bodies are still Python functions on flat operands, so `if` works on concrete values.

    `EvalTrace` runs them with `call`; `StagingTrace` records `staged(...)` instead.
    """

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    is_function: ClassVar[bool] = True
    __eq__ = object.__eq__  # Python functions have nothing to compare
    __hash__ = object.__hash__

    @abstractmethod
    def call(self, operands: Operands) -> Operands:
        """Run the function now."""

    @abstractmethod
    def staged(self, types: tuple[Type, ...]) -> tuple[Primitive, tuple[Operand, ...]]:
        """Return the primitive that represents this call in a program, and the captured operands (they go first).

        The types have shardings if a mesh with explicit axes is in force, since the function may read them.
        """

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Raise an error: only staging finds the types, which `staged(...)` has."""
        raise AssertionError("a FunctionCall is never recorded, so it is never inferred")


class Extension(Primitive):
    """Family: foreign operations, evaluated by Python functions of arrays, which programs hold unchanged.

    Only their types and the rules registered for them are known.
    """

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    is_function: ClassVar[bool] = True
    opaque: ClassVar[bool] = True

    @abstractmethod
    def call(self, operands: Operands) -> Operands:
        """Return the results for arrays."""

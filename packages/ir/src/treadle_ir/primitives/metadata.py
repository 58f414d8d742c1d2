"""Attributes for XLA: the operations that `set_xla_metadata` and `compute_on` add to a program.

While attributes are in force, each equation that is staged becomes an `XlaMetadata` call of a program with that
one equation. A `ValueMetadata` applies to the equation before it that makes its operand
(decisions/0097-attributes-for-xla.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final, TypeAlias, final

from treadle_ir.core.families import InlineCall, Sources
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.registry import register
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Atom, Value
from treadle_ir.errors.source import Source
from treadle_ir.primitives.elementwise.families import Unary
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.settings.context import Setting

Metadata: TypeAlias = tuple[tuple[str, str], ...]
"""Attributes by name, in the order of their names."""

METADATA: Final[Setting[Metadata]] = Setting(
    "_xla_metadata",
    (),
    listed=False,
    help="The attributes that operations get which are staged here.",
)


@register
@final
@frozen
class XlaMetadata(InlineCall):
    """A part of a program whose operations have attributes for XLA, in addition to the attributes around it."""

    name: ClassVar[str] = "xla_metadata"
    program: Program
    metadata: Metadata
    of_derivatives: Metadata | None = None  # for linear programs and transposes; None: the same

    def rebuilt(self, program: Program, sources: Sources) -> InlineCall:
        """Return a call of another program with the same attributes: derivatives and batches have them, too."""
        return replace(self, program=program)

    def differentiated(self, program: Program, sources: Sources) -> InlineCall:
        """Return a call of a linear program with the attributes for derivatives."""
        own = self.metadata if self.of_derivatives is None else self.of_derivatives
        return XlaMetadata(program, own)


@register
@final
@frozen
class ValueMetadata(Unary):
    """The operand; the operation that makes it has attributes for XLA, in addition to the attributes around it.

    If the operand is a parameter, it has no effect.
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "value_metadata"
    kinds: ClassVar[str] = "biufck"
    metadata: Metadata


def with_metadata(
    primitive: Primitive, atoms: Sequence[Atom], source: Source, metadata: Metadata
) -> tuple[XlaMetadata, list[Atom]]:
    """Return a call, with attributes, of a program with one equation, and its operands; literals stay inside."""
    inside = {atom: Value(atom.type.plain) for atom in atoms if isinstance(atom, Value)}
    operands = tuple([inside[atom] if isinstance(atom, Value) else atom for atom in atoms])
    types, effects = inferred(primitive, tuple([atom.type for atom in atoms]))
    results = tuple([Value(type) for type in types])
    equation = Equation(primitive, operands, results, effects, source)
    return XlaMetadata(Program(tuple(inside.values()), (equation,), results), metadata), [*inside]

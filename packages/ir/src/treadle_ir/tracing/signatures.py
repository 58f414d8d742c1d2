"""Signatures: what a jitted function was traced or compiled for, and the differences of two of them, as data.

A cache of programs has signatures as keys. Logs, reports and tools that explain why a call found no program start from
the same differences: `difference(now, before)`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, final

from treadle_ir.core.types import ArrayType, Type
from treadle_ir.process.frozen_classes import frozen

if TYPE_CHECKING:
    from treadle_ir.settings.context import Context
    from treadle_ir.tree import PyTreeDef

Cause: TypeAlias = Literal[
    "context", "structure", "static", "type", "varying", "sharding", "placement"
]
"""What differs: settings or named axes, the containers of the arguments, a static argument, the type of an array, the
axes of a shard_map over which arrays vary, their sharding over explicit axes of a mesh, or where an array is."""


class PlacedLeaf(Protocol):
    """The type of an array with its placement, as keys of compiled calls have it."""

    @property
    def type(self) -> ArrayType:
        """The type."""

    @property
    def placement(self) -> Hashable:
        """Where the array is; equal placements are one object."""


class Signature(NamedTuple):
    """What a jitted function was traced or compiled for.

    Attributes:
        context: the settings and named axes on which the program depends.
        structure: the containers of the arguments: positional arguments, or `(positional, keywords)`.
        statics: `(numbers, values, names, named)`: the static arguments as parts of keys; None if there are neither
            static nor keyword arguments.
        types: the type of each array among the arguments, with its placement for a compiled program.
    """

    context: Context
    structure: PyTreeDef
    statics: tuple[Any, ...] | None  # Any: of users
    types: tuple[Any, ...]  # Any: ArrayType, or PlacedLeaf, or another type of a leaf

    def paths(self, names: Sequence[str] = ()) -> list[str]:
        """Return a name of each array among the arguments, such as `argument x['w']`.

        Args:
            names: the names of the positional parameters.
        """
        from treadle_ir.tracing.arguments import Arguments  # noqa: PLC0415 - for messages only

        return Arguments([None] * len(self.types), self.structure, self.statics).paths(names)

    def static_names(self, names: Sequence[str] = ()) -> list[str]:
        """Return a name of each static argument, positional ones first.

        Args:
            names: the names of the positional parameters.
        """
        if self.statics is None:
            return []
        numbers, _, keywords, _ = self.statics
        return [
            *[names[i] if i < len(names) else f"argument {i}" for i in numbers],
            *keywords,
        ]

    def static_values(self) -> list[Any]:
        """Return the static arguments as parts of keys, in the order of `static_names`. Any: of users."""
        return [] if self.statics is None else [*self.statics[1], *self.statics[3]]


@final
@frozen
class Difference:
    """One difference of two signatures."""

    cause: Cause
    now: Any  # Any: contexts, structures, parts of keys, types or placements
    before: Any
    index: int = -1  # of the array, or of the static argument; -1 if it is about all of them


def difference(now: Signature, before: Signature) -> tuple[Difference, ...]:
    """Return how a signature differs from another one.

    The types of arrays are compared only where the structures are equal, since arrays correspond to each other only
    then.

    Args:
        now: the signature of a call.
        before: a known signature.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.settings import current_context
        >>> from treadle_ir.tree import tree_structure
        >>> one, two = [Signature(current_context(), tree_structure((0,)), None, (ArrayType((n,), np.dtype("f4")),))
        ...     for n in (3, 4)]
        >>> [(each.cause, each.index, each.now, each.before) for each in difference(two, one)]
        [('type', 0, f32[4], f32[3])]
    """
    found: list[Difference] = []
    if now.context is not before.context:
        found.append(Difference("context", now.context, before.context))
    if now.statics != before.statics:
        found += _static_differences(now, before)
    if now.structure != before.structure:
        return (*found, Difference("structure", now.structure, before.structure))
    pairs = [
        (index, one, other)
        for index, (one, other) in enumerate(zip(now.types, before.types, strict=True))
        if one is not other
    ]
    types = [(index, _type(one), _type(other)) for index, one, other in pairs]
    if any([one.varying != other.varying for _, one, other in types]):
        found.append(Difference("varying", now.types, before.types))
    if any(
        [
            _sharding(one) is not _sharding(other)
            for _, one, other in types
            if one.plain is other.plain
        ]
    ):
        found.append(Difference("sharding", now.types, before.types))
    found += [
        Difference("type", one, other, index)
        for index, one, other in types
        if one.plain is not other.plain
    ]
    found += [
        Difference("placement", one.placement, other.placement, index)
        for index, one, other in pairs
        if not isinstance(one, Type) and one.placement is not other.placement
    ]
    return tuple(found)


def nearest(signature: Signature, known: Sequence[Signature]) -> Signature | None:
    """Return the known signature that differs least from a signature, of equally similar ones the last.

    Args:
        signature: the signature of a call.
        known: the known ones, in the order in which they came.
    """
    return min(
        reversed(known), key=lambda other: _distance(difference(signature, other)), default=None
    )


def only_compiles(now: Signature, before: Signature | None) -> bool:
    """Return whether the program that was traced for a signature serves another one, so that it is only compiled.

    Args:
        now: the signature of a call, with the placements of arrays.
        before: a known one.
    """
    return (
        before is not None
        and now.context.programs is before.context.programs
        and all([each.cause in ("context", "placement") for each in difference(now, before)])
    )


def _distance(differences: Sequence[Difference]) -> tuple[bool, bool, int]:
    """Return the order of differences: other containers are the least similar, other placements the most."""
    causes = {each.cause for each in differences}
    return "structure" in causes, not causes <= {"context", "placement"}, len(differences)


def _static_differences(now: Signature, before: Signature) -> list[Difference]:
    """Return a difference for each static argument; one for all of them if other arguments are static."""
    one, other = now.statics, before.statics
    if one is None or other is None or (one[0], one[2]) != (other[0], other[2]):
        return [Difference("static", one, other)]
    pairs = zip(now.static_values(), before.static_values(), strict=True)
    return [
        Difference("static", value, known, index)
        for index, (value, known) in enumerate(pairs)
        if value != known
    ]


def _type(leaf: Any) -> Any:  # Any: as `Signature.types`
    return leaf if isinstance(leaf, Type) else leaf.type


def _sharding(type: Type) -> object:
    return type.sharding if isinstance(type, ArrayType) else None

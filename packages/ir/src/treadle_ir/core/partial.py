"""Unreduced and reduced axes: the axes of a mesh over which an array, or its cotangents, are partial sums.

An array over explicit axes may be `unreduced` over some of them: each device holds one summand, and the value of the
array is the sum, which has not been computed yet. In programs the array means the sum; only its sharding differs. An
array that is `reduced` is sharded as if it were not, but its cotangents are unreduced: so the gradients of weights are
added up once, after the last of them.

See decisions/0104-deferred-sums.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeVar, final

# The axes that divide one axis of an array; None where the compiler decides.
E = TypeVar("E")


@final
class PartialSums(NamedTuple):
    """The axes of the mesh over which an array (`unreduced`), or its cotangents (`reduced`), are partial sums."""

    unreduced: frozenset[str] = frozenset()
    reduced: frozenset[str] = frozenset()

    @property
    def axes(self) -> frozenset[str]:
        """All unreduced and reduced axes."""
        return self.unreduced | self.reduced

    def over(self, names: Iterable[str]) -> PartialSums:
        """Return the part over some axes."""
        return PartialSums(self.unreduced.intersection(names), self.reduced.intersection(names))

    def of_cotangents(self) -> PartialSums:
        """Return the axes of the cotangents of such an array, or of the array of such cotangents."""
        return PartialSums(self.reduced, self.unreduced)

    def __str__(self) -> str:
        """Return them as types show them: `{U:x}`, `{R:(x,y)}`, and nothing if there are none."""
        shown = [
            f"{letter}:{names[0] if len(names) == 1 else '(' + ','.join(names) + ')'}"
            for letter, names in (("U", sorted(self.unreduced)), ("R", sorted(self.reduced)))
            if names
        ]
        return f"{{{','.join(shown)}}}" if shown else ""


NO_PARTIAL_SUMS: Final = PartialSums()


@final
class PartialDimShardings(
    tuple[Any, ...]
):  # Any: entries as in the plain tuples of arrays without partial sums
    """The dimension shardings of an array that is a partial sum, or whose cotangents are."""

    partial: PartialSums

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple):
            return NotImplemented
        return super().__eq__(other) and self.partial == partial_sums_of(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple(self), self.partial))

    def __repr__(self) -> str:
        return f"{super().__repr__()}{self.partial}"

    def __reduce__(self) -> tuple[Any, ...]:
        return with_partial_sums, (tuple(self), self.partial)


def with_partial_sums(dims: Iterable[E], sums: PartialSums) -> tuple[E, ...]:
    """Return dimension shardings with the axes over which sums are partial, or without any.

    Example:
        >>> with_partial_sums(((), ("y",)), PartialSums(unreduced=frozenset({"x"})))
        ((), ('y',)){U:x}
        >>> with_partial_sums(((), ("y",)), NO_PARTIAL_SUMS)
        ((), ('y',))
    """
    if not sums.axes:
        return tuple(dims)
    made = PartialDimShardings(dims)
    made.partial = sums
    return made


def partial_sums_of(dims: object) -> PartialSums:
    """Return the axes over which an array with these dimension shardings, or its cotangents, are partial sums."""
    return dims.partial if type(dims) is PartialDimShardings else NO_PARTIAL_SUMS

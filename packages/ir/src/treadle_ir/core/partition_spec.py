"""`PartitionSpec`: which axes of a mesh partition each axis of an array, as users write it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, TypeAlias, final

from treadle_ir.core.partial import PartialSums
from treadle_ir.errors.argument_checks import refused
from treadle_ir.errors.kinds import ArgumentError


@final
class Unconstrained:
    """The class of `PartitionSpec.UNCONSTRAINED`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self) -> str:
        return "UNCONSTRAINED"


UNCONSTRAINED: Final = Unconstrained()
"""The compiler may partition this axis of the array as it likes."""

Entry: TypeAlias = str | tuple[str, ...] | Unconstrained | None


@final
class PartitionSpec:
    """Which axes of a mesh partition which axes of an array.

    It has one entry for each axis of the array: None (the axis is unsharded), the name of an axis of the mesh, a tuple
    of names (which partition it, major to minor), or `PartitionSpec.UNCONSTRAINED`. Axes without an entry are
    unsharded.

    Args:
        partitions: the entries.
        unreduced: explicit axes over which the array is a partial sum: each device holds a summand.
        reduced: explicit axes over which the cotangents of the array are partial sums.

    Raises:
        ArgumentError: an entry is of another kind, or an axis is used twice.

    Example:
        >>> from treadle_ir import PartitionSpec as P
        >>> P("x", None, ("y", "z"))
        P('x', None, ('y', 'z'))
        >>> P("x", unreduced={"y"})
        P('x', unreduced={'y'})
    """

    __slots__ = ("partial", "partitions")
    UNCONSTRAINED: Final = UNCONSTRAINED
    partitions: tuple[Entry, ...]
    partial: PartialSums

    def __new__(
        cls, *partitions: object, unreduced: Collection[str] = (), reduced: Collection[str] = ()
    ) -> PartitionSpec:
        """Return a specification with these entries."""
        self = object.__new__(cls)
        put = object.__setattr__
        put(self, "partitions", tuple([_entry(each) for each in partitions]))
        sums = PartialSums(_axes("unreduced", unreduced), _axes("reduced", reduced))
        if sums.axes:
            _check_once(self.partitions, sums)
        put(self, "partial", sums)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a PartitionSpec is immutable; `{name}` cannot be set")

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.partitions)

    def __len__(self) -> int:
        return len(self.partitions)

    def __getitem__(self, index: Any) -> Any:  # Any: as tuples are indexed
        return self.partitions[index]

    def index(self, value: object) -> int:
        """Return the first index of an entry; raise ValueError if there is none."""
        return self.partitions.index(_entry(value))

    def count(self, value: object) -> int:
        """Return the number of entries equal to `value`."""
        try:
            return self.partitions.count(_entry(value))
        except ArgumentError:  # not a valid entry
            return 0

    def __add__(self, other: object) -> PartitionSpec:
        if isinstance(other, PartitionSpec | tuple):
            return self._joined(self, other)
        return NotImplemented

    def __radd__(self, other: object) -> PartitionSpec:
        if isinstance(other, tuple):
            return self._joined(other, self)
        return NotImplemented

    def _joined(self, *entries: PartitionSpec | tuple[object, ...]) -> PartitionSpec:
        sums = [each.partial for each in entries if isinstance(each, PartitionSpec)]
        return PartitionSpec(
            *[entry for each in entries for entry in each],
            unreduced=frozenset[str]().union(*[each.unreduced for each in sums]),
            reduced=frozenset[str]().union(*[each.reduced for each in sums]),
        )

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PartitionSpec):
            return self.partitions == other.partitions and self.partial == other.partial
        if isinstance(other, tuple):
            return (
                not self.partial.axes and self.partitions == other
            )  # which has the same hash then
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.partitions, self.partial)) if self.partial.axes else hash(self.partitions)

    def __repr__(self) -> str:
        if not self.partial.axes:
            return f"P{self.partitions!r}"
        shown = [repr(each) for each in self.partitions]
        for name, axes in (("unreduced", self.unreduced), ("reduced", self.reduced)):
            if axes:
                shown.append(f"{name}={{{', '.join(map(repr, sorted(axes)))}}}")
        return f"P({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _spec, (self.partitions, self.unreduced, self.reduced)

    @property
    def unreduced(self) -> frozenset[str]:
        """The axes over which the array is a sum that is not added up yet."""
        return self.partial.unreduced

    @property
    def reduced(self) -> frozenset[str]:
        """The axes over which the cotangents of the array are such sums."""
        return self.partial.reduced

    def update(
        self,
        partitions: Sequence[object] | None = None,
        unreduced: Collection[str] | None = None,
        reduced: Collection[str] | None = None,
    ) -> PartitionSpec:
        """Return the same specification with other entries, or other unreduced or reduced axes."""
        return PartitionSpec(
            *(self.partitions if partitions is None else partitions),
            unreduced=self.unreduced if unreduced is None else unreduced,
            reduced=self.reduced if reduced is None else reduced,
        )


def _spec(
    partitions: tuple[Entry, ...], unreduced: Collection[str], reduced: Collection[str]
) -> PartitionSpec:
    return PartitionSpec(*partitions, unreduced=unreduced, reduced=reduced)


def _axes(what: str, given: object) -> frozenset[str]:
    if not isinstance(given, tuple | list | set | frozenset):
        raise refused("PartitionSpec", what, "a set of names of axes", given)
    for name in given:
        if not isinstance(name, str):
            raise refused("PartitionSpec", f"each of {what}", "the name of an axis, a string", name)
    return frozenset(given)


def _check_once(partitions: tuple[Entry, ...], sums: PartialSums) -> None:
    both = sums.unreduced & sums.reduced
    divides = {
        name
        for entry in partitions
        for name in (entry if isinstance(entry, tuple) else (entry,))
        if isinstance(name, str)
    }
    if both or (both := sums.axes & divides):
        raise ArgumentError(
            f"PartitionSpec: the axis {min(both)!r} stands there twice, but it can divide an axis of the array, be "
            "unreduced, or be reduced",
            fix="leave one of the two out",
        )


def _entry(given: object) -> Entry:
    if given is None or isinstance(given, str | Unconstrained):
        return given
    if isinstance(given, tuple | list):
        names = tuple(given)
        for name in names:
            if not isinstance(name, str):
                raise refused("PartitionSpec", "each name of an entry", "a string", name)
        return names[0] if len(names) == 1 else (names or None)
    raise refused(
        "PartitionSpec",
        "each entry",
        "None, the name of an axis, or a tuple of names",
        given,
        fix="write the names of the mesh's axes, not their numbers: P('x', None)",
    )

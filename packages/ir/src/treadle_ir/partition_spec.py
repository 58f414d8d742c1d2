"""`PartitionSpec`: which axes of a mesh divide each axis of an array, as users write it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, TypeAlias, final

from treadle_ir.declared import refused
from treadle_ir.errors import UnsupportedError


@final
class Unconstrained:
    """The class of `PartitionSpec.UNCONSTRAINED`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self) -> str:
        return "UNCONSTRAINED"


UNCONSTRAINED: Final = Unconstrained()
"""The compiler may divide this axis of the array as it likes."""

Entry: TypeAlias = str | tuple[str, ...] | Unconstrained | None


@final
class PartitionSpec:
    """Which axes of a mesh divide which axes of an array.

    One entry for each axis of the array: None (it is whole on each device), the name of an axis of the mesh, a tuple of
    names (divided by each in turn), or `PartitionSpec.UNCONSTRAINED`. Axes without an entry are whole.

    Args:
        partitions: the entries.
        unreduced: not there yet.
        reduced: not there yet.

    Raises:
        ArgumentError: an entry of another kind.
        UnsupportedError: `unreduced` or `reduced` is given.

    Example:
        >>> from treadle_ir import PartitionSpec as P
        >>> P("x", None, ("y", "z"))
        P('x', None, ('y', 'z'))
    """

    __slots__ = ("partitions",)
    UNCONSTRAINED: Final = UNCONSTRAINED
    partitions: tuple[Entry, ...]

    def __new__(
        cls, *partitions: object, unreduced: Collection[str] = (), reduced: Collection[str] = ()
    ) -> PartitionSpec:
        """A specification with these entries."""
        for name, axes in (("unreduced", unreduced), ("reduced", reduced)):
            if not isinstance(axes, tuple | list | set | frozenset):
                raise refused("PartitionSpec", name, "a set of names of axes", axes)
        if unreduced or reduced:
            raise UnsupportedError(
                "PartitionSpec: sums that are not added up yet (`unreduced`, `reduced`) are not there",
                fix="add up first, with lax.psum within shard_map",
            )
        self = object.__new__(cls)
        object.__setattr__(self, "partitions", tuple([_entry(each) for each in partitions]))
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a PartitionSpec is immutable; `{name}` cannot be set")

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.partitions)

    def __len__(self) -> int:
        return len(self.partitions)

    def __getitem__(self, index: Any) -> Any:  # Any: as tuples are indexed
        return self.partitions[index]

    def index(self, entry: object) -> int:
        """Where an entry stands first; ValueError if it does not."""
        return self.partitions.index(_entry(entry))

    def count(self, entry: object) -> int:
        """How many entries are this one."""
        return self.partitions.count(_entry(entry))

    def __add__(self, other: object) -> PartitionSpec:
        if isinstance(other, PartitionSpec | tuple):
            return PartitionSpec(*self, *other)
        return NotImplemented

    def __radd__(self, other: object) -> PartitionSpec:
        if isinstance(other, tuple):
            return PartitionSpec(*other, *self)
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PartitionSpec):
            return self.partitions == other.partitions
        if isinstance(other, tuple):
            return self.partitions == tuple([_entry(each) for each in other])
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.partitions)

    def __repr__(self) -> str:
        return f"P{self.partitions!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return PartitionSpec, self.partitions

    @property
    def unreduced(self) -> frozenset[str]:
        """The axes over which a sum is not added up yet: none."""
        return frozenset()

    @property
    def reduced(self) -> frozenset[str]:
        """The axes whose derivative is not added up yet: none."""
        return frozenset()

    def update(self, *, partitions: Sequence[object] | None = None) -> PartitionSpec:
        """The same with other entries."""
        return self if partitions is None else PartitionSpec(*partitions)


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

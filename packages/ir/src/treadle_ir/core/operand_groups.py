"""Named groups of a loop's operands, parameters and results, and of whatever is known of each: arrays, types, flags.

Rules of loops divide flat lists by `scan.operands(items)` or `scan.results(items)`, work on the groups, and make a flat
list of them again with `flat`.

Example:
    >>> operands = ScanOperands(consts=["w"], carry=["c"], xs=["x", "y"])
    >>> operands.where(ScanOperands([False], [True], [False, True])).flat()
    ('c', 'y')
    >>> operands.joined(ScanOperands(consts=["v"], xs=["z"])).flat()
    ('w', 'v', 'c', 'x', 'y', 'z')
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, Self, TypeVar, final

from treadle_ir.process.frozen_classes import frozen

T = TypeVar("T")


class Groups(Generic[T]):
    """Items in named groups: the attributes of a subclass, in the order of the flat list."""

    def __iter__(self) -> Iterator[Sequence[T]]:
        return iter(vars(self).values())

    def flat(self) -> tuple[T, ...]:
        """Return all items, group by group."""
        return tuple([item for group in self for item in group])

    def where(self, flags: Groups[bool]) -> Self:
        """Return the items whose flags are set."""
        return type(self)(
            *[
                [item for item, flag in zip(group, marks, strict=True) if flag]
                for group, marks in zip(self, flags, strict=True)
            ]
        )

    def joined(self, *others: Self) -> Self:
        """Return the items of these groups, then the items of the others, group by group."""
        every = zip(self, *others, strict=True)
        return type(self)(*[[item for group in groups for item in group] for groups in every])


@final
@frozen(eq=False)
class ScanOperands(Groups[T]):
    """The operands of a scan, or the parameters of its body."""

    consts: Sequence[T] = ()
    carry: Sequence[T] = ()
    xs: Sequence[T] = ()


@final
@frozen(eq=False)
class ScanResults(Groups[T]):
    """The results of a scan, or of its body."""

    carry: Sequence[T] = ()
    ys: Sequence[T] = ()


@final
@frozen(eq=False)
class WhileOperands(Groups[T]):
    """The operands of a while loop."""

    cond_consts: Sequence[T] = ()
    body_consts: Sequence[T] = ()
    carry: Sequence[T] = ()

    @property
    def for_cond(self) -> tuple[T, ...]:
        """What the condition takes."""
        return (*self.cond_consts, *self.carry)

    @property
    def for_body(self) -> tuple[T, ...]:
        """What the body takes."""
        return (*self.body_consts, *self.carry)

"""Named groups of a loop's operands, parameters and results, or of data about each of them: arrays, types, flags.

Rules of loops divide flat lists by `scan.operand_groups(items)` or `scan.result_groups(items)`, work on the groups, and
make a flat list of them again with `flat`.

Example:
    >>> operands = ScanOperands(consts=["w"], carry=["c"], xs=["x", "y"])
    >>> operands.where(ScanOperands([False], [True], [False, True])).flat()
    ('c', 'y')
    >>> operands.joined(ScanOperands(consts=["v"], xs=["z"])).flat()
    ('w', 'v', 'c', 'x', 'y', 'z')
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, compress
from typing import Generic, NamedTuple, Self, TypeVar, final

T = TypeVar("T")


class Groups(tuple[Sequence[T], ...]):
    """Items in named groups, in the order of the flat list. Subclasses are named tuples, which name the groups."""

    __slots__ = ()

    def flat(self) -> tuple[T, ...]:
        """Return all items, group by group."""
        return tuple(chain.from_iterable(self))

    def where(self, flags: Groups[bool]) -> Self:
        """Return the items whose flags are set."""
        return tuple.__new__(type(self), map(list, map(compress, self, flags)))

    def joined(self, *others: Self) -> Self:
        """Return the items of these groups, then the items of the others, group by group."""
        return tuple.__new__(type(self), map(list, map(chain, self, *others)))


class _ScanOperands(NamedTuple, Generic[T]):
    consts: Sequence[T] = ()
    carry: Sequence[T] = ()
    xs: Sequence[T] = ()


class _ScanResults(NamedTuple, Generic[T]):
    carry: Sequence[T] = ()
    ys: Sequence[T] = ()


class _WhileOperands(NamedTuple, Generic[T]):
    cond_consts: Sequence[T] = ()
    body_consts: Sequence[T] = ()
    carry: Sequence[T] = ()


@final
class ScanOperands(_ScanOperands[T], Groups[T]):
    """The operands of a scan, or the parameters of its body."""

    __slots__ = ()


@final
class ScanResults(_ScanResults[T], Groups[T]):
    """The results of a scan, or of its body."""

    __slots__ = ()


@final
class WhileOperands(_WhileOperands[T], Groups[T]):
    """The operands of a while loop."""

    __slots__ = ()

    @property
    def for_cond(self) -> tuple[T, ...]:
        """The operands of the condition."""
        return (*self.cond_consts, *self.carry)

    @property
    def for_body(self) -> tuple[T, ...]:
        """The operands of the body."""
        return (*self.body_consts, *self.carry)

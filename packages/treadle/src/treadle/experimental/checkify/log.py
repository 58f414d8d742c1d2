"""The log of a program that is being written: which site failed first, as arrays that the program computes.

One number says it, 0 for none, else the site counted from 1; and each site has the values that it reports. Sites are
Python values, known when the program is written. So the number that a loop or a branch returns is shifted by the
sites before it, and the first failure wins, in the order in which things run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from treadle.experimental.checkify.sites import Categories, Site
from treadle_ir import ArrayType, Operand, ops, type_of

NUMBER = ArrayType((), np.dtype(np.int32))
NONE = np.int32(0)


@final
class Log:
    """What has been checked so far."""

    __slots__ = ("categories", "number", "payloads", "sites")

    def __init__(self, categories: Categories) -> None:
        self.categories = categories  # what is to be checked
        self.number: Operand = NONE
        self.sites: list[Site] = []
        self.payloads: list[Operand] = []  # of all sites, one after the other

    def check(self, site: Site, condition: Operand, payload: Sequence[Operand]) -> None:
        """Note a failure where a condition does not hold, unless something failed before."""
        self.sites.append(site)
        self.payloads += payload
        self.note(ops.select(condition, NONE, np.int32(len(self.sites))))

    def merge(self, sites: Sequence[Site], number: Operand, payloads: Sequence[Operand]) -> None:
        """Note what a nested program noted, as what came after everything here."""
        before = len(self.sites)
        self.sites += sites
        self.payloads += payloads
        if before:
            failed = ops.compare(number, NONE, direction="ne")
            number = ops.select(failed, ops.add(number, np.int32(before)), NONE)
        self.note(number)

    def skip(self, sites: Sequence[Site]) -> None:
        """Leave places for sites that do not run here."""
        self.sites += sites
        self.payloads += nothing(sites)[1:]

    def note(self, number: Operand) -> None:
        """The first failure wins."""
        if self.number is NONE:
            self.number = number
        else:
            failed = ops.compare(self.number, NONE, direction="ne")
            self.number = ops.select(failed, self.number, number)

    @property
    def results(self) -> list[Operand]:
        """What a program returns after its own results."""
        return [self.number, *self.payloads]


def types_of_log(sites: Sequence[Site]) -> list[ArrayType]:
    """The types of the number and of all payloads."""
    return [NUMBER, *(type for site in sites for type in site.types)]


def nothing(sites: Sequence[Site]) -> list[Operand]:
    """A log in which nothing failed."""
    return [NONE, *(zeros(type) for site in sites for type in site.types)]


def zeros(type: ArrayType) -> Operand:
    """Zeros of a type."""
    zero: np.generic = type.dtype.type(0)
    return ops.broadcast_in_dim(zero, shape=type.shape, dimensions=()) if type.shape else zero


def earlier(old: Sequence[Operand], new: Sequence[Operand]) -> list[Operand]:
    """Of two logs of the same sites the earlier one, if anything failed there; else the later one."""
    failed = ops.compare(old[0], NONE, direction="ne")
    return [
        ops.select(failed if not type_of(x).shape else _wide(failed, type_of(x).shape), x, y)
        for x, y in zip(old, new, strict=True)
    ]


def _wide(condition: Operand, shape: tuple[int, ...]) -> Operand:
    return ops.broadcast_in_dim(condition, shape=shape, dimensions=())

"""The log of a program that is being written: which site failed first, as arrays that the program computes.

One number says it, 0 for none, else the site counted from 1; and each site has the values that it reports. Sites are
Python values, known when the program is written. So the number that a loop or a branch returns is replaced by that
which its site has here, and the first failure wins, in the order in which things run. A site has one number, however
often it is run: a program that calls another twice has as many sites as that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from treadle.experimental.checkify.conditions import element
from treadle.experimental.checkify.sites import Categories, Site
from treadle_ir import ArrayType, Operand, ops, type_of

NUMBER = ArrayType((), np.dtype(np.int32))
NONE = np.int32(0)


@final
class Log:
    """What has been checked so far."""

    __slots__ = ("_numbers", "_reports", "categories", "number")

    def __init__(self, categories: Categories) -> None:
        self.categories = categories  # what is to be checked
        self.number: Operand = NONE
        self._numbers: dict[Site, int] = {}
        self._reports: list[Sequence[Operand]] = []  # the payload of each site

    @property
    def sites(self) -> tuple[Site, ...]:
        """The sites in the order of their numbers."""
        return tuple(self._numbers)

    def check(self, site: Site, condition: Operand, payload: Sequence[Operand]) -> None:
        """Note a failure where a condition does not hold, unless something failed before."""
        number = self._numbered(site, payload)
        self.note(ops.select(condition, NONE, np.int32(number)))

    def merge(self, sites: Sequence[Site], number: Operand, payloads: Sequence[Operand]) -> None:
        """Note what a nested program noted, as what came after everything here."""
        values = iter(payloads)
        numbers = [self._numbered(site, [next(values) for _ in site.types]) for site in sites]
        if numbers:
            self.note(_renumbered(number, numbers))

    def skip(self, sites: Sequence[Site]) -> None:
        """Number sites that do not run here."""
        for site in sites:
            if site not in self._numbers:
                self._numbered(site, list(map(zeros, site.types)))

    def _numbered(self, site: Site, payload: Sequence[Operand]) -> int:
        """Return the number of a site, which reports this payload unless something failed before."""
        number = self._numbers.setdefault(site, len(self._numbers) + 1)
        if number > len(self._reports):
            self._reports.append(payload)
        elif payload:
            before = self._reports[number - 1]
            self._reports[number - 1] = earlier([self.number, *before], [NONE, *payload])[1:]
        return number

    def note(self, number: Operand) -> None:
        """Record a failure; the first failure wins."""
        if self.number is NONE:
            self.number = number
        else:
            failed = ops.compare(self.number, NONE, direction="ne")
            self.number = ops.select(failed, self.number, number)

    @property
    def results(self) -> list[Operand]:
        """What a program returns after its own results."""
        return [self.number, *(x for payload in self._reports for x in payload)]


def all_of(*programs: Sequence[Site]) -> tuple[Site, ...]:
    """Return the sites of several programs, as a log numbers them that gets them one after the other."""
    return tuple(dict.fromkeys(site for sites in programs for site in sites))


def _renumbered(number: Operand, numbers: Sequence[int]) -> Operand:
    """Return the number of a site, 0 for none, by the number that each site has instead."""
    before = numbers[0] - 1
    if list(numbers) != list(range(before + 1, before + 1 + len(numbers))):
        return element(np.array([0, *numbers], np.int32), number)
    if not before:
        return number
    failed = ops.compare(number, NONE, direction="ne")
    return ops.select(failed, ops.add(number, np.int32(before)), NONE)


def types_of_log(sites: Sequence[Site]) -> list[ArrayType]:
    """Return the types of the number and of all payloads."""
    return [NUMBER, *(type for site in sites for type in site.types)]


def nothing(sites: Sequence[Site]) -> list[Operand]:
    """Return a log in which nothing failed."""
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

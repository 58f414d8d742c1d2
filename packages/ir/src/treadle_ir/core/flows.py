"""How values flow through the regions of calls, branches and loops, for data-flow analyses.

A region is a nested program that runs when the operation does. Values flow along edges: from operands to the parameters
of a region when it is entered, from results of a region to parameters when a loop goes on, and from results of regions
to the results of the operation. `core/dataflow.py` runs analyses over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar, final

if TYPE_CHECKING:
    from treadle_ir.core.program import Program

T = TypeVar("T")
Flags: TypeAlias = tuple[bool, ...]

OPERANDS: Final = -1
"""The `region` of an `Origin` that is an operand of the operation."""


@final
class Origin(NamedTuple):
    """Where a value comes from: the result at `place` of the region with number `region`, or the operand there."""

    region: int
    place: int


@final
class Iterations(NamedTuple):
    """How often a loop runs its regions: at most `most` times, or None if no bound is known.

    `exact` means that it runs exactly `most` times. Compiled code holds `unroll` iterations one after the other. With
    `reverse` the iterations go from the last slices to the first.
    """

    most: int | None
    exact: bool = False
    unroll: int = 1
    reverse: bool = False

    @property
    def unrolled(self) -> bool:
        """Whether compiled code holds all iterations, and no loop."""
        return self.exact and self.most is not None and self.most <= self.unroll


@final
class Flows(NamedTuple):
    """The edges along which values flow through the regions of an operation.

    Attributes:
        regions: the nested programs that run; in a loop, the programs of one iteration in order.
        entry: for each region, the operand that each parameter is when the region is first entered.
        backedges: for each region, the result that each parameter is in later iterations; None if it stays as it
            was. Empty if there is no back edge.
        exits: for each result of the operation, the values that it may be.
        predicate: the value that decides which region runs next: an operand chooses one of the regions, and a result
            of a region whether a loop goes on. None if nothing decides.
        iterations: how often a loop runs its regions; None if it is not a loop.
        sliced: operands from this position on are sliced along their leading axis, and an iteration gets one slice.
        stacked: results from this position on are the stacked results of the iterations.
    """

    regions: tuple[Program, ...]
    entry: tuple[tuple[int, ...], ...]
    exits: tuple[tuple[Origin, ...], ...]
    backedges: tuple[tuple[Origin | None, ...], ...] = ()
    predicate: Origin | None = None
    iterations: Iterations | None = None
    sliced: int | None = None
    stacked: int | None = None

    def is_sliced(self, operand: int) -> bool:
        """Return whether an iteration gets a slice of the operand at this position."""
        return self.sliced is not None and operand >= self.sliced

    def arguments(
        self,
        region: int,
        operands: Sequence[T],
        returned: Sequence[Sequence[T]],
        slice_of: Callable[[T, int], T],
        number: int,
    ) -> list[T]:
        """Return the arguments of a region for one run.

        Args:
            region: the number of the region.
            operands: the operands of the operation.
            returned: for each region its last results; empty before it has run.
            slice_of: returns the slice of an operand that has the given number.
            number: the number of the slice that this iteration gets.
        """
        given = [
            slice_of(operands[i], number) if self.is_sliced(i) else operands[i]
            for i in self.entry[region]
        ]
        for place, origin in enumerate(self.backedges[region] if self.backedges else ()):
            if origin is not None and returned[origin.region]:
                given[place] = returned[origin.region][origin.place]
        return given

    @property
    def exclusive(self) -> bool:
        """Whether only one of the regions runs."""
        return self.predicate is not None and self.predicate.region == OPERANDS


def origins(region: int, places: range) -> tuple[Origin, ...]:
    """Return the origins at these places of a region; the constructor of each would take as long as all of them."""
    return tuple(map(tuple.__new__, repeat(Origin), zip(repeat(region), places)))


def call_flows(program: Program) -> Flows:
    """Return the flows of an operation that runs one program on its operands and returns the results."""
    exits = tuple(zip(origins(0, range(len(program.results)))))
    return Flows((program,), (tuple(range(len(program.parameters))),), exits)


def elementwise_or(*flags: Sequence[bool]) -> Flags:
    """Return the elementwise `or` of lists of flags."""
    return tuple([any(each) for each in zip(*flags, strict=True)])

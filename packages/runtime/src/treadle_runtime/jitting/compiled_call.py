"""A compiled call: everything that a call of a jitted function with one signature needs.

`call` runs it on the leaves of any call with this signature, on the slow path. `fast_call` generates the fast path for
calls with a known call shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final, final

from treadle_ir.errors import DonatedError, capture
from treadle_ir.events import listeners
from treadle_ir.process import frozen
from treadle_ir.tracing import Arguments, positional_names
from treadle_ir.tree import expectation
from treadle_runtime.arrays.array import (
    Buffer,
    DeviceArray,
    buffer_at,
    forget_host,
    give_away,
)
from treadle_runtime.arrays.deleted import Deleted
from treadle_runtime.arrays.operands import told_buffers
from treadle_runtime.jitting.miss import FastCall
from treadle_runtime.jitting.traced import Traced
from treadle_runtime.launch import Launch
from treadle_runtime.placement.placement import PlacedType


@final
@frozen(eq=False)
class Given:
    """What the user gave to one call, for the events of its transfers."""

    function: Callable[..., Any]  # the user's. Any: its arguments and results
    arguments: Arguments

    def paths(self, kept: Sequence[int], captured: int) -> list[str]:
        """Return the names of operands, of which the first so many parameters are captured arrays."""
        names = self.arguments.paths(positional_names(self.function))
        return [
            f"captured array {index}" if index < captured else names[index - captured]
            for index in kept
        ]


@final
class CompiledCall:
    """A compiled signature of a jitted function."""

    __slots__ = (
        "captured",
        "donated",
        "fast_calls",
        "kept",
        "launch",
        "name",
        "only",
        "operands",
        "select",
        "traced",
        "unflatten",
        "where",
    )

    def __init__(
        self,
        name: str,
        traced: Traced,
        launch: Launch,
        operands: tuple[PlacedType, ...],
        captured: tuple[DeviceArray, ...],
        kept: tuple[int, ...],
        donated: tuple[int, ...],
    ) -> None:
        self.name: Final = name
        self.traced: Final = traced
        self.launch: Final = launch
        self.operands: Final = operands  # the leaves of the arguments
        self.captured: Final = captured
        self.kept: Final = kept  # indices into (*captured, *leaves)
        self.donated: Final = donated  # indices into the leaves
        self.where: Final = f"donated to {name}"
        self.only: Final = traced.structure.is_leaf()
        self.unflatten: Callable[[list[DeviceArray]], Any] = traced.structure.unflatten
        expected = expectation(traced.structure)
        if expected is not None and expected.regular:
            self.unflatten = expected.build
        self.select: Final = _selector(kept, captured, len(operands))
        # The fast paths by the classes of the leaves; None for unsupported call shapes.
        self.fast_calls: Final[dict[tuple[type, ...], FastCall | None]] = {}

    def call(
        self, leaves: Sequence[DeviceArray], given: Given | None = None
    ) -> Any:  # Any: the function's result, a pytree
        """Run the program on the leaves of a call, and return the results in their tree structure.

        Args:
            leaves: the arrays among the arguments.
            given: what the user gave, where something listens to events.
        """
        arrays = leaves if self.select is None else self.select(leaves)
        launch = self.launch
        buffers = (
            self._told(arrays, given)
            if listeners and given is not None
            else [buffer_at(x, launch.placement) for x in arrays]
        )
        results = (
            self._donating(leaves, arrays, buffers) if self.donated else launch.execute(buffers)
        )
        made = [
            DeviceArray(placed, None, buffer)
            for placed, buffer in zip(launch.results, results, strict=True)
        ]
        return made[0] if self.only else self.unflatten(made)

    def _told(self, arrays: Sequence[DeviceArray], given: Given) -> list[Buffer]:
        """Return the buffers of the operands; events of transfers name the arguments."""
        kept, count, leaves = self.kept, len(self.captured), given.arguments.leaves
        users = [self.captured[i] if i < count else leaves[i - count] for i in kept]
        return told_buffers(
            arrays,
            self.launch.placement,
            self.name,
            users,
            given.function,
            lambda: given.paths(kept, count),
        )

    def _donating(
        self,
        leaves: Sequence[DeviceArray],
        arrays: Sequence[DeviceArray],
        buffers: Sequence[Buffer],
    ) -> list[Buffer]:
        given = [leaves[index] for index in self.donated]
        if len({id(x) for x in arrays}) < len(arrays):
            self._refuse_shared(given, arrays)
        for array in given:
            forget_host(array)
        results = self.launch.execute(buffers)
        gone = Deleted(self.where, capture())
        for array in given:
            give_away(array, gone)
        return results

    def _refuse_shared(self, given: Sequence[DeviceArray], arrays: Sequence[DeviceArray]) -> None:
        """Raise an error if a donated array is also a second argument."""
        for array in given:
            if sum(x is array for x in arrays) > 1:
                raise DonatedError(
                    f"an array of type {array.type} is {self.where} and is another argument of the same call",
                    fix="copy it first, or do not donate it",
                )


def _selector(
    kept: tuple[int, ...], captured: tuple[DeviceArray, ...], arguments: int
) -> Callable[[Sequence[DeviceArray]], Sequence[DeviceArray]] | None:
    """Return a function that selects the operands of the program; None if they are all leaves in their order."""
    count = len(captured)
    if kept == tuple(range(arguments)) and not count:
        return None
    if not count and len(kept) > 1:
        return itemgetter(*kept)
    first = [captured[index] for index in kept if index < count]
    rest = [index - count for index in kept if index >= count]
    if rest == [*range(arguments)]:
        return lambda leaves: [*first, *leaves]
    return lambda leaves: [*first, *[leaves[index] for index in rest]]

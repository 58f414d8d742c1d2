"""What every transformation of loops needs: operands in their groups, and which carries a property reaches.

A carry has a tangent, or a batch, if it has one at first or if an iteration gives it one. Which carries these are is
the least fixed point of running the transformed body, and the same question for every transformation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

from treadle_ir.flows import Flags, either
from treadle_ir.frozen import frozen


@final
@frozen
class LoopParts:
    """Operands of a loop in their three groups; a while loop has no xs."""

    constants: int
    carries: int

    # Any: operands, types, flags: one thing for each operand
    def __call__(self, items: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Constants, carries, xs."""
        fixed = self.constants + self.carries
        return items[: self.constants], items[self.constants : fixed], items[fixed:]


def reached_carries(after: Callable[[Flags], Sequence[bool]], start: Sequence[bool]) -> Flags:
    """The carries that are marked at first, or after some iteration.

    `after(marked)` runs the transformed body once with these carries marked, and says which results are marked then;
    the carries come first among them.
    """
    marked = tuple(start)
    while True:
        grown = either(marked, after(marked)[: len(marked)])
        if grown == marked:
            return marked
        marked = grown

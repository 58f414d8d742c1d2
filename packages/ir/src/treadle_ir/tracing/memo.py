"""What transformations make of programs, kept by the program that it was made of.

So a loop, or a jitted function, is differentiated, vectorised and compiled once, however often it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Protocol, TypeVar

from treadle_ir.core.program import Program
from treadle_ir.process.nesting import deeper
from treadle_ir.settings.context import current_context
from treadle_ir.tracing.array import Operand
from treadle_ir.tracing.tracer import Tracer


class Derived(Protocol):
    """What a transformation made of a program, with the operands that the transformation captured."""

    @property
    def captured(self) -> tuple[Operand, ...]:
        """Pass these first."""


D = TypeVar("D", bound=Derived)

MOST_DERIVED: Final = 64
"""What is kept of one program. Keys may name other programs, as those of branches do, which may be new each time."""


def derived(program: Program, key: Hashable, make: Callable[[], D]) -> D:
    """What `make` returns, which the program keeps. Two threads may both make it; one is kept.

    The oldest goes where a program has too many.

    The key begins with the name of the transformation. What captured a tracer (a derivative rule that closes
    over one) is made anew each time.
    """
    cache: dict[Hashable, D] | None = program.derived.get(derived)
    if cache is None:
        cache = program.derived.setdefault(derived, {})
    full = (key, current_context().key)
    found = cache.get(full)
    if found is None:
        with deeper():
            found = make()
        if not any(isinstance(operand, Tracer) for operand in found.captured):
            if len(cache) >= MOST_DERIVED:  # a copy: other threads put values into it meanwhile
                for oldest in [*cache][: 1 - MOST_DERIVED]:
                    cache.pop(oldest, None)
            found = cache.setdefault(full, found)
    return found

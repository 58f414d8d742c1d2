"""Memoized transformation results, stored on the source program.

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
    """The result of transforming a program, with the operands that the transformation captured."""

    @property
    def captured(self) -> tuple[Operand, ...]:
        """The captured operands, which are passed first."""


D = TypeVar("D", bound=Derived)

MOST_DERIVED: Final = 64
"""The most results per program. Keys may name other programs, such as branches, which may be new each time."""


def derived(program: Program, key: Hashable, make: Callable[[], D]) -> D:
    """Return the result of `make`, which is stored on the program by `key`. If two threads make it, one is stored.

    If a program has too many results, the oldest is dropped.

    The key begins with the name of the transformation. A result that captured a tracer (of a derivative rule that
    closes over one) is not stored, but made again each time.
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
            if len(cache) >= MOST_DERIVED:  # a copy: other threads may add values meanwhile
                for oldest in [*cache][: 1 - MOST_DERIVED]:
                    cache.pop(oldest, None)
            found = cache.setdefault(full, found)
    return found

"""What transformations make of programs, kept by the program that it was made of.

So a loop, or a jitted function, is differentiated, vectorised and compiled once, however often it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

from treadle_ir.array import Operand
from treadle_ir.context import current_context
from treadle_ir.nesting import deeper
from treadle_ir.program import Program
from treadle_ir.tracer import Tracer


class Derived(Protocol):
    """What a transformation made of a program, with the operands that the transformation captured."""

    @property
    def captured(self) -> tuple[Operand, ...]:
        """Pass these first."""


D = TypeVar("D", bound=Derived)


def derived(program: Program, key: Hashable, make: Callable[[], D]) -> D:
    """What `make` returns, which the program keeps. Two threads may both make it; one is kept.

    The key begins with the name of the transformation. What captured a tracer (a derivative rule that closes
    over one) is made anew each time.
    """
    cache = program.derived
    full = (key, current_context().key)
    found: D | None = cache.get(full)
    if found is None:
        with deeper():
            found = make()
        if not any(isinstance(operand, Tracer) for operand in found.captured):
            found = cache.setdefault(full, found)
    return found

"""What transformations make of programs, remembered with the program that it was made of.

So a loop, or a jitted function, is differentiated, vectorised and compiled once, however often it is called.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol, TypeVar
from weakref import WeakKeyDictionary

from treadle_ir.array import Operand
from treadle_ir.nesting import deeper
from treadle_ir.program import Program
from treadle_ir.tracer import Tracer

_MEMORY: Final[WeakKeyDictionary[Program, dict[Hashable, Any]]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


class Derived(Protocol):
    """A transformed program, with the operands that the transformation captured."""

    @property
    def captured(self) -> tuple[Operand, ...]:
        """Pass these first."""


D = TypeVar("D", bound=Derived)


def remembered(program: Program, key: Hashable, make: Callable[[], D]) -> D:
    """What `make` returns, kept as long as the program lives. Two threads may both make it; one is kept.

    The key begins with the name of the transformation. What captured a tracer (a derivative rule that closes
    over one) is made anew each time. Do not let what `make` returns hold the program itself: then it would
    live for ever.
    """
    with _LOCK:
        memory = _MEMORY.setdefault(program, {})
    found: D | None = memory.get(key)
    if found is None:
        with deeper():
            found = make()
        if not any(isinstance(operand, Tracer) for operand in found.captured):
            found = memory.setdefault(key, found)
    return found

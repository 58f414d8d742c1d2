"""Facts about a program that the program remembers, since a program that is called often is asked about often."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from treadle_ir import Program
from treadle_ir.process import deeper

T = TypeVar("T")


def kept(program: Program, key: Hashable, make: Callable[[], T]) -> T:
    """Return what `make` returns, which is called once for a program and key; two threads may both call it."""
    cache = program.derived
    if key not in cache:
        with deeper():
            cache[key] = make()
    found: T = cache[key]
    return found

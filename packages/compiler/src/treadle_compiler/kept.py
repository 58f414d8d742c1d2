"""What is found out about a program, and kept by it: what is called many times may be asked about many times."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from treadle_ir import Program
from treadle_ir.process import deeper

T = TypeVar("T")


def kept(program: Program, key: Hashable, make: Callable[[], T]) -> T:
    """What `make` returns, once for a program. Two threads may both make it."""
    cache = program.derived
    if key not in cache:
        with deeper():
            cache[key] = make()
    found: T = cache[key]
    return found

"""The processes of a program: this one."""

from __future__ import annotations

from treadle_ir import names
from treadle_runtime.client import backends


def process_count(backend: str | None = None) -> int:
    """How many processes run the program together: one."""
    _check("process_count", backend)
    return 1


def process_index(backend: str | None = None) -> int:
    """The number of this process among them: 0."""
    _check("process_index", backend)
    return 0


def _check(function: str, backend: str | None) -> None:
    names(function, backend=backend)
    if backend is not None:
        backends.get(backend)  # refuses what there is not

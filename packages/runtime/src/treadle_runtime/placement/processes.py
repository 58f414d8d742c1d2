"""The processes of a program: how many there are, and which one this is."""

from __future__ import annotations

from treadle_ir.errors import names
from treadle_runtime.client import backends


def process_count(backend: str | None = None) -> int:
    """How many processes run the program together: one, unless `distributed.initialize` was called.

    Example:
        >>> process_count()
        1
    """
    _check("process_count", backend)
    return 1 if backends.peers is None else backends.peers.count


def process_index(backend: str | None = None) -> int:
    """The number of this process among them, from 0.

    Example:
        >>> process_index()
        0
    """
    _check("process_index", backend)
    return 0 if backends.peers is None else backends.peers.process


def process_indices(backend: str | None = None) -> list[int]:
    """The numbers of all processes.

    Example:
        >>> import treadle
        >>> treadle.process_indices()
        [0]
    """
    return [*range(process_count(backend))]


def _check(function: str, backend: str | None) -> None:
    names(function, backend=backend)
    if backend is not None:
        backends.get(backend)  # refuses what there is not

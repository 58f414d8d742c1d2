"""The former names of `process_count`, `process_index` and `process_indices`."""

from __future__ import annotations

import warnings

from treadle_ir.errors import boundaries
from treadle_runtime import process_count, process_index, process_indices

__all__ = ["host_count", "host_id", "host_ids"]


def host_count(backend: str | None = None) -> int:
    """Return `process_count()`, under its former name.

    Warns:
        UserWarning: always.

    Example:
        >>> with warnings.catch_warnings(action="ignore"):
        ...     host_count()
        1
    """
    _renamed("host_count", "process_count")
    return process_count(backend)


def host_id(backend: str | None = None) -> int:
    """Return `process_index()`, under its former name.

    Warns:
        UserWarning: always.

    Example:
        >>> with warnings.catch_warnings(action="ignore"):
        ...     host_id()
        0
    """
    _renamed("host_id", "process_index")
    return process_index(backend)


def host_ids(backend: str | None = None) -> list[int]:
    """Return `process_indices()`, under its former name.

    Warns:
        UserWarning: always.

    Example:
        >>> with warnings.catch_warnings(action="ignore"):
        ...     host_ids()
        [0]
    """
    _renamed("host_ids", "process_indices")
    return process_indices(backend)


def _renamed(name: str, new: str) -> None:
    warnings.warn(f"treadle.{name} is now called treadle.{new}", UserWarning, stacklevel=3)


boundaries(__name__)

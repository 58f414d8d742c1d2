"""The error for an index expression that does not fit."""

from __future__ import annotations

from treadle_ir import ArgumentError


class IndexValueError(ArgumentError, IndexError):
    """An index expression that does not fit the array."""

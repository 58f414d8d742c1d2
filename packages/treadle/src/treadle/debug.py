"""Printing and calling back from compiled functions."""

from __future__ import annotations

from treadle_runtime import debug_callback as callback, debug_print as print

__all__ = ["callback", "print"]

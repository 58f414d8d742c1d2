"""Faults that no test finds, and why: those that change no result begin with `equivalent`.

A key is the file and the changed line, before and after.
"""

from __future__ import annotations

from typing import Final

KNOWN: Final[dict[tuple[str, str], str]] = {}

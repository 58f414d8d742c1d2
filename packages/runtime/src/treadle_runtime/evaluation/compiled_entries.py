"""How many compiled programs the tables of eager operations keep: fewer than entries, since each is much larger."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

Key: TypeAlias = tuple[Any, ...]

MOST_COMPILED: Final = 1024
"""Entries with compiled programs that are kept in one table."""


def keep_compiled(table: dict[Key, Any], compiled: dict[Key, None], key: Key) -> None:
    """Note that the entry `key` of a table holds a compiled program; the oldest such entries go if they are too many.

    `compiled` has the keys of these entries, the oldest first. Other threads may change both meanwhile.
    """
    compiled[key] = None
    excess = len(compiled) - MOST_COMPILED
    if excess > 0:
        for oldest in [*compiled][:excess]:
            compiled.pop(oldest, None)
            table.pop(oldest, None)

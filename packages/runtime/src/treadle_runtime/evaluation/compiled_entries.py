"""The bound on compiled programs in the caches of eager operations: lower than for other entries, which are smaller."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

Key: TypeAlias = tuple[Any, ...]

MOST_COMPILED: Final = 1024
"""The most entries with compiled programs in one cache."""


def keep_compiled(table: dict[Key, Any], compiled: dict[Key, None], key: Key) -> None:
    """Record that the entry `key` of `table` holds a compiled program, and evict the oldest such entries beyond the
    bound.

    Other threads may change both dictionaries concurrently.

    Args:
        table: the cache.
        compiled: the keys of its entries with compiled programs, the oldest first.
        key: the key of the new entry.
    """
    compiled[key] = None
    excess = len(compiled) - MOST_COMPILED
    if excess > 0:
        for oldest in [*compiled][:excess]:
            compiled.pop(oldest, None)
            table.pop(oldest, None)

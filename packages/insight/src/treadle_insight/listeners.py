"""Settings that count listeners: of what the core only looks for where somebody wants to know it."""

from __future__ import annotations

from typing import Final

from treadle_ir.process import fork_safe_lock
from treadle_ir.settings import Setting, process_context

_lock: Final = fork_safe_lock()


def count_listener(setting: Setting[int], change: int) -> None:
    """Change the number of listeners in this process.

    Args:
        setting: the setting that counts them.
        change: 1 for one more, -1 for one less.
    """
    with _lock:
        setting.set(process_context[0].get(setting) + change)

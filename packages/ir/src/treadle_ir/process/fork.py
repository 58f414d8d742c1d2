"""Locks in a forked child: what another thread of the parent held is free.

`fork` copies memory and one thread, so a lock that another thread held would stay locked in the child for ever. The
locks of treadle are made here, and are new in a child. What they guard is a dictionary or a counter each, whose single
operations are atomic. So what a child finds behind a lock that was held is consistent.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Final

_LOCKS: Final[weakref.WeakSet[Any]] = weakref.WeakSet()  # Any: Python has no type for both kinds


def fork_safe_lock() -> threading.Lock:
    """Return a lock that is free in a forked child, whichever thread of the parent held it."""
    lock = threading.Lock()
    _LOCKS.add(lock)
    return lock


def fork_safe_rlock() -> threading.RLock:
    """Return such a lock that a thread may acquire several times."""
    lock = threading.RLock()
    _LOCKS.add(lock)
    return lock


def _in_child() -> None:
    for lock in [*_LOCKS]:
        lock._at_fork_reinit()  # what Python's own modules do with their locks


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_in_child)

"""Each signature of a function is traced and compiled by one thread, also if several threads need it.

What counts as being made is a lock that the making thread holds, and nothing else. So a thread that is interrupted at
any point, by Ctrl-C or by an exception, leaves the value to the next that wants it: `with` on a lock releases it
whatever happens, where a `finally` of several statements could be interrupted itself. For the same reason a forked
child, in which locks are new, does not wait for a thread of its parent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Final, TypeVar, final

from treadle_ir.process import fork_safe_lock

T = TypeVar("T")


@final
class OncePerKey:
    """Makes a value for a key once, even when several threads need it at the same time.

    A thread that would cause a deadlock by waiting makes the value itself instead.
    """

    _mutex: Final = fork_safe_lock()
    _waiting: Final[
        dict[int, tuple[OncePerKey, Hashable]]
    ] = {}  # the key for which each thread waits

    def __init__(self) -> None:
        # By key, the thread that makes the value, and a lock that it holds meanwhile.
        self._makers: dict[Hashable, tuple[int, threading.Lock]] = {}

    def once(self, key: Hashable, find: Callable[[], T | None], make: Callable[[], T]) -> T:
        """Return the result of `find`; if it is None, call `make`, here or in another thread, and try again."""
        me = threading.get_ident()
        while True:
            made = fork_safe_lock()
            with made:
                with OncePerKey._mutex:
                    found = find()
                    if found is not None:
                        return found
                    maker = self._maker(key)
                    if maker is None:
                        self._makers[key] = (me, made)
                    elif self._would_deadlock(maker[0], me):
                        maker = None
                    else:
                        OncePerKey._waiting[me] = (self, key)
                if maker is None:
                    try:
                        return make()
                    finally:
                        self._forget(key, made)
            try:
                with maker[1]:
                    pass
            finally:
                OncePerKey._waiting.pop(me, None)

    def _maker(self, key: Hashable) -> tuple[int, threading.Lock] | None:
        """Return the thread that makes the value now, and its lock; a thread whose lock is free has stopped."""
        maker = self._makers.get(key)
        return None if maker is None or not maker[1].locked() else maker

    def _forget(self, key: Hashable, made: threading.Lock) -> None:
        with OncePerKey._mutex:
            maker = self._makers.get(key)
            if maker is not None and maker[1] is made:
                del self._makers[key]

    @staticmethod
    def _would_deadlock(owner: int, me: int) -> bool:
        seen = {me}
        while owner not in seen:
            seen.add(owner)
            waits = OncePerKey._waiting.get(owner)
            maker = None if waits is None else waits[0]._maker(waits[1])
            if maker is None:
                return False
            owner = maker[0]
        return owner == me

"""Room on Python's stack for programs inside of programs.

Nothing recurses on the length of a program, but rules that run or transform a nested program call themselves
once per level of nesting. Python's limit of 1000 frames would end that at about a hundred levels; `deeper`
moves the limit up as levels are entered and back as they are left.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from types import TracebackType
from typing import Final, final

from treadle_ir.process.fork import fork_safe_lock

_EVERY: Final = 16  # levels
_FRAMES: Final = 40  # of Python per level, at most


class _Level(threading.local):
    level: int = 0


_STATE: Final = _Level()
_LOCK: Final = fork_safe_lock()


@final
class deeper:  # noqa: N801 - reads as a statement: `with deeper():`
    """`with deeper():` around whatever enters a nested program."""

    __slots__ = ()

    def __enter__(self) -> None:
        _STATE.level += 1
        if _STATE.level % _EVERY == 0:
            _move(_EVERY * _FRAMES)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if _STATE.level % _EVERY == 0:
            _move(-_EVERY * _FRAMES)
        _STATE.level -= 1


def _move(frames: int) -> None:
    """Change the limit, which threads share, so it is changed relative to what it is."""
    with (
        _LOCK,
        suppress(RecursionError),
    ):  # Python refuses a limit that it stands above: leave it where it is
        sys.setrecursionlimit(sys.getrecursionlimit() + frames)

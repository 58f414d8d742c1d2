"""The steps of this process that other processes must perform in the same order: launches, exchanges, the end."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

from treadle_ir.process import fork_safe_lock

_REMEMBERED: Final = 256
"""Recorded steps: more than XLA lets a process be ahead of the others."""
Note: TypeAlias = int | str
"""The number of a program that was launched; for the rarer kinds of steps, a word and a number."""

_WORDS: Final = {
    "compares": "the compilation of {}",
    "exchanges": "an exchange of words, as at a barrier",
    "ends": "the end of the process (its program is over, or has called sys.exit)",
}


@final
class Launches:
    """The programs that a group of processes knows, and the steps of this process. Threads may record concurrently."""

    __slots__ = ("_count", "_last", "_lock", "group", "key", "names", "numbers")

    def __init__(self, group: Sequence[int], key: str) -> None:
        self.group = tuple(group)  # the numbers of the processes
        self.key = key  # of the group, in the key-value store
        self.numbers: dict[str, int] = {}  # of the programs, by the hashes of their texts
        self.names: dict[int, str] = {}  # of the programs, by their numbers
        self._count = 0
        self._last: deque[Note] = deque(maxlen=_REMEMBERED)
        self._lock = fork_safe_lock()

    def noting(self, number: int, launch: Callable[..., Any]) -> Callable[..., Any]:
        """Return `launch`, which launches program `number`, wrapped to record each launch."""

        def noted(*args: Any, **kwargs: Any) -> Any:
            with self._lock:
                self._last.append(number)
                self._count += 1
            return launch(*args, **kwargs)

        return noted

    def note(self, word: str, number: int = 0) -> None:
        """Record a step other than a launch.

        Steps of threads other than the main thread have no defined order, and are not recorded.

        Args:
            word: `compares`, `exchanges` or `ends`.
            number: the number of the new program or of the exchange.
        """
        if threading.current_thread() is threading.main_thread():
            with self._lock:
                self._last.append(f"{word} {number}")
                self._count += 1

    def state(self) -> tuple[int, list[Note]]:
        """Return the number of recorded steps, and the last steps."""
        with self._lock:
            return self._count, [*self._last]

    def difference(self, theirs: tuple[int, list[Note]]) -> str | None:
        """Return a description of the first step that differs in another process; None if no recorded step differs.

        Args:
            theirs: the `state` of the other process.
        """
        count, last = self.state()
        first = max(count - len(last), theirs[0] - len(theirs[1]))
        for place in range(first, min(count, theirs[0])):
            here, there = last[place - count], theirs[1][place - theirs[0]]
            if here == there:
                continue
            if isinstance(here, int) and isinstance(there, int):
                return (
                    f"launch number {place} over their devices is of {self._name(here)} here and of "
                    f"{self._name(there)} there"
                )
            return f"step {place} over their devices is {self._step(here)} here and {self._step(there)} there"
        return None

    def _step(self, note: Note) -> str:
        if isinstance(note, int):
            return f"a launch of {self._name(note)}"
        word, _, number = note.partition(" ")
        return _WORDS[word].format(self._name(int(number)))

    def _name(self, number: int) -> str:
        return f"`{self.names[number]}`" if number in self.names else f"program number {number}"

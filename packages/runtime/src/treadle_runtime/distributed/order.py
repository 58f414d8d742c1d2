"""Check that all processes perform the same blocking operations in the same order.

A process that launches a different program from the others waits in its collectives for ever, or combines unrelated
data; so does a process that launches while another one compares a new program before compiling it, waits at a barrier,
or has ended. Each process records these four kinds of steps. Programs have numbers, which are the same in all
processes (`agreement.py`). A thread publishes the last records in the key-value store, and compares them with the
records of the next process in the ring: one second after progress stops, otherwise every ten seconds, and at shutdown.
So a call costs a fraction of a microsecond, and a difference is found in seconds, also by a process that waits inside
XLA.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

from treadle_compiler import jaxlib
from treadle_ir import fork_safe_lock
from treadle_runtime.client.peers import Peers, met

_REMEMBERED: Final = 256
"""Recorded steps: more than XLA lets a process be ahead of the others."""
Note: TypeAlias = int | str
"""The number of a program that was launched; for the rarer kinds of steps, a word and a number."""

_WORDS: Final = {
    "compares": "the compilation of {}",
    "exchanges": "an exchange of words, as at a barrier",
    "ends": "the end of the process (its program is over, or has called sys.exit)",
}
_PAUSE: Final = 1.0  # seconds between two checks
_STEADY: Final = 10  # checks after which records are compared although launches continue
MOST_ASKED: Final = 64
"""How many processes each one compares with at shutdown, so that none leaves normally after a difference."""


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


_DIFFERS: Final = {
    True: "launches programs in a different order from",
    False: "does something different from",
}


def watch(peers: Peers) -> None:
    """Start the thread that compares the steps of each group until this process disconnects."""
    threading.Thread(target=_compare, args=(peers,), name="treadle-order", daemon=True).start()


def _compare(peers: Peers) -> None:
    seen: dict[str, int] = {}
    pause = threading.Event()  # never set
    looks = 0
    while not pause.wait(_PAUSE) and met == [peers] and not peers.failures:
        looks += 1
        for launches in [*peers.launches.values()]:
            count, _ = launches.state()
            stands = seen.get(launches.key) == count
            seen[launches.key] = count
            if count and (stands or looks % _STEADY == 0):
                publish(peers, launches)
                found = disagreement(peers, launches)
                if found is not None:
                    peers.give_up(*found)
                    return


def publish(peers: Peers, launches: Launches) -> None:
    """Publish the recorded steps of this process."""
    key, ours = f"{launches.key}/{peers.process}", json.dumps(launches.state())
    # If the service is gone, that is reported elsewhere.
    with contextlib.suppress(jaxlib().core.JaxRuntimeError):
        peers.client.key_value_set(key, ours, allow_overwrite=True)


def disagreement(peers: Peers, launches: Launches, most: int = 1) -> tuple[int, str] | None:
    """Return a process whose published steps differ, and a description; None if there is no difference.

    Args:
        peers: this process and the others.
        launches: the steps of the group to check.
        most: how many processes to compare with, the next ones in the ring.
    """
    group = launches.group
    start = group.index(peers.process) + 1
    for other in (group[start:] + group[: start - 1])[:most]:
        try:
            published = peers.client.key_value_try_get(f"{launches.key}/{other}")
        except jaxlib().core.JaxRuntimeError:  # it has not published anything yet
            continue
        what = launches.difference(tuple(json.loads(published)))
        if what is not None:
            return other, (
                f"process {other} {_DIFFERS[what.startswith('launch')]} process {peers.process}: {what}"
            )
    return None

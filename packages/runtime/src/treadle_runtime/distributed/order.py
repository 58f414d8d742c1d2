"""Whether all processes do the same in the same order, of what makes one wait for another.

A process that launches another program than the others waits in its collectives for ever, or adds up what was meant for
another one; so does one that launches while another compares a new program before it compiles it, waits at a barrier,
or has come to its end. Each process notes these four. Programs have numbers, which are the same in all of them
(`agreement.py`). A thread tells the key-value store
the last notes, and looks at those of the next process in the ring: a second after they have come to a stand, else every
ten seconds, and when the processes part. So a call costs a fraction of a microsecond, and what differs is found in
seconds, also by a process that waits inside XLA.
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
"""Notes: more than XLA lets a process be ahead of the others."""
Note: TypeAlias = int | str
"""The number of a program that was launched; or, for all that is rarer, a word and a number."""

_WORDS: Final = {
    "compares": "the compilation of {}",
    "exchanges": "an exchange of words, as at a barrier",
    "ends": "the end of the process (its program is over, or has called sys.exit)",
}
_PAUSE: Final = 1.0  # seconds between two looks
_STEADY: Final = 10  # looks after which is compared although launches go on
MOST_ASKED: Final = 64
"""Processes that one asks at the end: where they differ, nobody should leave as if all were well."""


@final
class Launches:
    """The programs that a group of processes knows, and what this one has done with them. Threads may note at once."""

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
        """`launch`, which launches the program of this number, with a note of it."""

        def noted(*args: Any, **kwargs: Any) -> Any:
            with self._lock:
                self._last.append(number)
                self._count += 1
            return launch(*args, **kwargs)

        return noted

    def note(self, word: str, number: int = 0) -> None:
        """Note what is no launch: that this process `compares` the new program of a number, `exchanges`, or `ends`.

        Threads besides the main one do such things in an order of their own, which is not noted.
        """
        if threading.current_thread() is threading.main_thread():
            with self._lock:
                self._last.append(f"{word} {number}")
                self._count += 1

    def state(self) -> tuple[int, list[Note]]:
        """How many notes there were, and the last of them."""
        with self._lock:
            return self._count, [*self._last]

    def difference(self, theirs: tuple[int, list[Note]]) -> str | None:
        """What another process was the first to do otherwise, as far as both remember it; None if there is nothing."""
        count, last = self.state()
        first = max(count - len(last), theirs[0] - len(theirs[1]))
        for place in range(first, min(count, theirs[0])):
            here, there = last[place - count], theirs[1][place - theirs[0]]
            if here == there:
                continue
            if isinstance(here, int) and isinstance(there, int):
                return (
                    f"the launch number {place} over their devices is of {self._name(here)} here and of "
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
        return f"`{self.names[number]}`" if number in self.names else f"the program number {number}"


_DIFFERS: Final = {
    True: "launches programs in another order than",
    False: "does something else than",
}


def watch(peers: Peers) -> None:
    """Start the thread that compares the launches of each group until this process parts from the others."""
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
                tell(peers, launches)
                found = disagreement(peers, launches)
                if found is not None:
                    peers.give_up(*found)
                    return


def tell(peers: Peers, launches: Launches) -> None:
    """Tell the others what this process has launched."""
    key, ours = f"{launches.key}/{peers.process}", json.dumps(launches.state())
    # Where the service is gone, there are others who say so.
    with contextlib.suppress(jaxlib().core.JaxRuntimeError):
        peers.client.key_value_set(key, ours, allow_overwrite=True)


def disagreement(peers: Peers, launches: Launches, most: int = 1) -> tuple[int, str] | None:
    """A process that has told of launches of other programs, and a sentence; asked are the next ones in the ring."""
    group = launches.group
    start = group.index(peers.process) + 1
    for other in (group[start:] + group[: start - 1])[:most]:
        try:
            told = peers.client.key_value_try_get(f"{launches.key}/{other}")
        except jaxlib().core.JaxRuntimeError:  # it has told nothing yet
            continue
        what = launches.difference(tuple(json.loads(told)))
        if what is not None:
            return other, (
                f"process {other} {_DIFFERS[what.startswith('the launch')]} process {peers.process}: {what}"
            )
    return None

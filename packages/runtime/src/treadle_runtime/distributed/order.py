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
from typing import Final

from treadle_compiler import jaxlib
from treadle_runtime.client.peers import Peers, met
from treadle_runtime.client.steps import Launches

_PAUSE: Final = 1.0  # seconds between two checks
_STEADY: Final = 10  # checks after which records are compared although launches continue
MOST_ASKED: Final = 64
"""How many processes each one compares with at shutdown, so that none leaves normally after a difference."""


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

"""Words that all processes exchange, through the key-value store: names of barriers, who is alive. Never data."""

from __future__ import annotations

from typing import Final

from treadle_ir import fork_safe_lock
from treadle_runtime.client.peers import Peers, met

_numbers: Final[list[int]] = [0]  # of the next exchange, counted in each process alike
_lock: Final = fork_safe_lock()


def exchanged(doing: str, word: str, timeout: float | None = None) -> list[str]:
    """The words of all processes, in their order; waits until each has given its own.

    Raises:
        DistributedError: one does not come.
        ProcessFailureError: one was lost.
    """
    if not met:
        return [word]
    peers = met[0]
    with _lock:
        number = _numbers[0]
        _numbers[0] += 1
    key = f"treadle/words/{number}"
    for launches in [*peers.launches.values()]:
        if len(launches.group) == peers.count:
            launches.note("exchanges", number)
    peers.check(doing)
    peers.ask(lambda: peers.client.key_value_set(f"{key}/{peers.process}", word), doing)
    return [
        _word(peers, f"{key}/{process}", process, doing, timeout) for process in range(peers.count)
    ]


def _word(peers: Peers, key: str, process: int, doing: str, timeout: float | None) -> str:
    found: str = peers.wait(
        lambda patience: peers.client.blocking_key_value_get(key, patience),
        doing,
        process,
        "did not come to it",
        peers.timeout if timeout is None else timeout,
    )
    return found


def live_processes() -> dict[int, int]:
    """The processes that are alive, each with a number that another start of it would not have; waits for those."""
    if not met:
        return {0: 0}
    peers = met[0]
    found: dict[int, int] = peers.ask(
        lambda: peers.client.get_live_nodes([*range(peers.count)]), "live_processes"
    )
    return {process: number for process, number in found.items() if process not in peers.failures}

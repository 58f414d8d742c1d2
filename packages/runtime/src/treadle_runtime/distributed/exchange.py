"""Exchange of short strings between all processes through the key-value store: barriers, liveness. Never array data."""

from __future__ import annotations

from typing import Final

from treadle_ir.process import fork_safe_lock
from treadle_runtime.client.peers import Peers, met

_numbers: Final[list[int]] = [0]  # of the next exchange, counted in each process alike
_lock: Final = fork_safe_lock()


def exchanged(doing: str, word: str, timeout: float | None = None) -> list[str]:
    """Return the words of all processes, in their order; wait until each process has provided its word.

    Args:
        doing: the operation, for error messages.
        word: the word of this process.
        timeout: how many seconds to wait for each process; None for the initialization timeout.

    Raises:
        DistributedError: a process does not reach the exchange.
        ProcessFailureError: a process has failed.
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
        "did not reach it",
        peers.timeout if timeout is None else timeout,
    )
    return found


def live_processes() -> dict[int, int]:
    """Return the live processes, each with a number that changes when it restarts; wait for an answer from them."""
    if not met:
        return {0: 0}
    peers = met[0]
    found: dict[int, int] = peers.ask(
        lambda: peers.client.get_live_nodes([*range(peers.count)]), "live_processes"
    )
    return {process: number for process, number in found.items() if process not in peers.failures}

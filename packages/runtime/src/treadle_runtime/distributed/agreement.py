"""Check that all processes compile the same program: they compare its text before they compile it.

Processes that run different programs wait in different collectives for ever, or mix up their data. Every new program
over the devices of several processes gets a number, counted alike in each process, and each process compares its text
with the text in the next process of the ring; so two processes detect a difference, and the others are notified when
these two end. The cost is one message to and one message from the key-value store for each compiled program. `order.py`
checks the order in which known programs are launched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from treadle_ir.process import fork_safe_lock
from treadle_runtime.client.peers import DistributedError, Peers, met
from treadle_runtime.client.steps import Launches
from treadle_runtime.distributed.order import watch
from treadle_runtime.settings import PROGRAM_CHECK

if TYPE_CHECKING:
    from treadle_compiler import LoweredModule
    from treadle_runtime.placement.devices import Device

_DOING: Final = "comparing programs before their first launch"
_lock: Final = fork_safe_lock()


def agree(
    lowered: LoweredModule, devices: Sequence[Device]
) -> Callable[[Callable[..., Any]], Callable[..., Any]] | None:
    """Check that all processes with some of `devices` compile the same program now.

    Returns:
        A decorator that records each launch of the program; None if one process has all devices, or the check is off.

    Raises:
        DistributedError: the programs differ, or another process does not compile anything for a long time.
        ProcessFailureError: a process failed in the meantime.
    """
    if not met or not PROGRAM_CHECK():
        return None
    peers = met[0]
    group = sorted({device.process_index for device in devices})
    if len(group) < 2 or peers.process not in group:
        return None
    over = ",".join([str(device.id) for device in devices])
    print_ = hashlib.sha256(f"{over}\n{lowered.text}".encode()).hexdigest()[:32]
    among = hashlib.sha256(repr(group).encode()).hexdigest()[:8]
    with _lock:
        if not peers.launches:
            watch(peers)
        launches = peers.launches.setdefault(among, Launches(group, f"treadle/launches/{among}"))
        new = print_ not in launches.numbers
        number = launches.numbers.setdefault(print_, len(launches.numbers))
        launches.names[number] = _described(lowered)
    if new:
        launches.note("compares", number)
        ours = f"{print_} {launches.names[number]}"
        _compare(peers, group, f"treadle/programs/{among}/{number}", ours, number)
    return lambda launch: launches.noting(number, launch)


def _compare(peers: Peers, group: list[int], key: str, ours: str, number: int) -> None:
    other = group[(group.index(peers.process) + 1) % len(group)]
    peers.ask(lambda: peers.client.key_value_set(f"{key}/{peers.process}", ours), _DOING)
    theirs: str = peers.wait(
        lambda patience: peers.client.blocking_key_value_get(f"{key}/{other}", patience),
        _DOING,
        other,
        f"did not reach program number {number}",
        peers.timeout,
    )
    if theirs.partition(" ")[0] != ours.partition(" ")[0]:
        here, there = ours.partition(" ")[2], theirs.partition(" ")[2]
        what = (
            f"`{here}` here and `{there}` there"
            if here != there
            else f"`{here}` in both, with different operations or values"
        )
        raise DistributedError(
            f"process {other} runs a different program from process {peers.process}: program number {number} over "
            f"their devices is {what}",
            fix="make the same calls with the same shapes and constants in every process; only data may depend on "
            "process_index()",
        )


def _described(lowered: LoweredModule) -> str:
    program = lowered.program
    operands = ", ".join([str(value.type) for value in program.parameters])
    results = ", ".join(map(str, program.result_types))
    text = f"{lowered.name}({operands}) -> {results}"
    return text if len(text) < 400 else f"{text[:400]}..."

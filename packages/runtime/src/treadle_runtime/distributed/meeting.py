"""The meeting: what process 0 offers at the coordinator's address, so that all processes find each other.

Every process, also process 0, has a line to it (`line.py`). The meeting begins when all have joined; if one does not
come in time, or two come with one number, all are told why and nobody starts. Afterwards it passes on who has left and
who was lost: a line that closes without a word, or on which nothing is heard for the heartbeat timeout. The end comes
when all have said that they leave.
"""

from __future__ import annotations

import contextlib
import errno
import selectors
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, final

from treadle_runtime.client.peers import DistributedError
from treadle_runtime.distributed.messages import PROTOCOL, Inbox, Message, send
from treadle_runtime.distributed.options import Options

_TICK: Final = 0.25
_LINGER: Final = 0.5  # seconds


@final
@dataclass(slots=True)
class _Member:
    connection: socket.socket
    inbox: Inbox = field(default_factory=Inbox)
    process: int | None = None
    name: str = ""
    heard: float = field(default_factory=time.monotonic)
    leaves: bool = False
    follows: bool = False

    def __str__(self) -> str:
        return f"process {self.process} ({self.name})"


@final
class Meeting:
    """A thread that listens to all processes of the program and tells each what it has to know of the others."""

    def __init__(self, options: Options, service: Callable[[], str]) -> None:
        """Open the door. `service` starts jaxlib's coordination service and says its address, once all have come.

        Raises:
            DistributedError: the port is in use, or the address is not one of this machine.
        """
        self._options = options
        self._service = service
        self._members: dict[int, _Member] = {}
        self._strangers: list[_Member] = []
        self._begun = False
        self._over = False
        self._gone: set[int] = set()
        self._selector = selectors.DefaultSelector()
        self._door = _listening(options)
        self._selector.register(self._door, selectors.EVENT_READ)
        self._deadline = time.monotonic() + options.initialization_timeout
        self._failed: str | None = None  # why there will be no beginning
        self._thread = threading.Thread(target=self._run, name="treadle-meeting", daemon=True)
        self._thread.start()

    def close(self, patience: float) -> None:
        """Wait until every line is closed, though not for longer than so many seconds, and close the door."""
        self._thread.join(patience)
        self._over = True

    # ---- the thread

    def _run(self) -> None:
        try:
            while not self._over and not (
                self._begun and len(self._gone) == self._options.processes
            ):
                for key, _ in self._selector.select(_TICK):
                    if key.fileobj is self._door:
                        self._welcome()
                    else:
                        self._read(key.data)
                self._look_at_the_clock()
        finally:
            for member in [*self._members.values(), *self._strangers]:
                member.connection.close()
            self._door.close()
            self._selector.close()

    def _welcome(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._door.accept()
            connection.settimeout(5)
            member = _Member(connection)
            self._strangers.append(member)
            self._selector.register(connection, selectors.EVENT_READ, member)

    def _read(self, member: _Member) -> None:
        try:
            data = member.connection.recv(1 << 16)
            messages = member.inbox.messages(data)
        except (OSError, ValueError):
            data, messages = b"", []
        member.heard = time.monotonic()
        for message in messages:
            self._hear(member, message)
        if not data:
            self._close(member)

    def _hear(self, member: _Member, message: Message) -> None:
        kind = message["kind"]
        if kind == "join" and member.process is None:
            self._join(member, message)
        elif kind == "failed" and member.process is not None:
            self._lose(member, f"{member} ended with {message.get('why')}")
        elif kind == "follow":
            member.leaves = member.follows = True
        elif kind == "leave" and member.process is not None:
            member.leaves = True
            self._tell({"kind": "left", "process": member.process, "name": member.name})
            if all(each.leaves for each in self._members.values()):
                self._tell({"kind": "end"})

    def _join(self, member: _Member, message: Message) -> None:
        process, count = message.get("process"), message.get("processes")
        member.name = str(message.get("name"))
        if self._failed is not None:
            send(member.connection, {"kind": "refused", "why": self._failed})
            return
        expected = self._options.processes
        if message.get("protocol") != PROTOCOL or not isinstance(process, int):
            self._refuse(member, f"{member.name} has another version of treadle")
        elif count != expected:
            self._refuse(
                member,
                f"{member.name} says that there are {count} processes, and process 0 that there are {expected}",
            )
        elif process in self._members:
            other = self._members[process].name
            self._refuse(
                member,
                f"two processes say that they are process {process}: {other} and {member.name}",
            )
        else:
            member.process = process
            self._strangers.remove(member)
            self._members[process] = member
            if len(self._members) == expected:
                self._begin()

    def _begin(self) -> None:
        try:
            address = self._service()
        except DistributedError as error:
            self._fail(str(error).removeprefix("initialize: "))
            return
        self._begun = True
        names = [self._members[each].name for each in sorted(self._members)]
        self._tell({"kind": "begin", "service": address, "names": names})

    def _refuse(self, member: _Member, why: str) -> None:
        """Turn one away, and, as its place cannot be filled by another now, all who have come before the beginning."""
        send(member.connection, {"kind": "refused", "why": why})
        if not self._begun:
            self._fail(why)

    def _fail(self, why: str) -> None:
        if self._failed is not None:
            return
        self._tell({"kind": "refused", "why": why})
        self._failed = why
        self._deadline = time.monotonic() + _LINGER  # who comes meanwhile is told the same

    def _close(self, member: _Member) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(member.connection)
        member.connection.close()
        if member.process is None:
            if member in self._strangers:
                self._strangers.remove(member)
        elif not self._begun:
            self._fail(f"{member} ended before all processes had joined")
        elif not member.leaves:
            self._lose(member, f"{member} ended without a word: it was killed, or crashed")
        elif not member.follows and not all(each.leaves for each in self._members.values()):
            self._lose(
                member, f"{member} left early: it had nothing more to do, while others went on"
            )
        if member.process is not None:
            self._gone.add(member.process)

    def _lose(self, member: _Member, why: str) -> None:
        member.leaves = member.follows = True  # what closes now is no news
        self._tell({"kind": "lost", "process": member.process, "why": why})

    def _look_at_the_clock(self) -> None:
        now = time.monotonic()
        if self._failed is not None:
            self._over |= now > self._deadline
        elif not self._begun and now > self._deadline:
            missing = [str(n) for n in range(self._options.processes) if n not in self._members]
            self._fail(
                f"{_processes(missing)} did not join within {self._options.initialization_timeout} seconds; "
                f"{_processes([str(n) for n in sorted(self._members)])} did"
            )
        for member in self._members.values():
            silent = now - member.heard
            if (
                self._begun
                and silent > self._options.heartbeat_timeout
                and member.process not in self._gone
            ):
                self._gone.add(member.process or 0)
                self._lose(
                    member,
                    f"nothing was heard of {member} for {self._options.heartbeat_timeout} seconds: it is stopped, or "
                    "its machine or network is down",
                )

    def _tell(self, message: Message) -> None:
        for member in self._members.values():
            send(member.connection, message)


def _processes(numbers: list[str]) -> str:
    return f"process{'es' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def _listening(options: Options) -> socket.socket:
    host, port = options.bind_host, options.bind_port
    try:
        family = socket.getaddrinfo(host or "0.0.0.0", port, type=socket.SOCK_STREAM)[0][0]
        door = socket.create_server(
            (host, port), family=family, backlog=max(128, options.processes)
        )
    except OSError as error:
        where = f"port {port} of {host or 'this machine'}"
        if error.errno == errno.EADDRINUSE:
            what = (
                f"initialize: {where} is in use, by another program or an earlier run of this one"
            )
            raise DistributedError(what, fix="end that one, or choose another port") from None
        raise DistributedError(
            f"initialize: process 0 cannot listen at {where}: {error}",
            fix="give an address of the machine that process 0 runs on as coordinator_address, "
            "or what to listen at there as coordinator_bind_address",
        ) from None
    door.settimeout(5)
    return door

"""The coordinator: a thread of process 0 that brings all processes of the program together and detects failures.

Every process, also process 0, connects to it (`coordinator_client.py`). The program starts when all have joined; if a
process does not join in time, or two have the same id, start-up fails in all of them with the reason. Afterwards the
coordinator reports which processes have left and which have failed: a process has failed if its connection closes
unexpectedly, or if no message arrives for the heartbeat timeout. Shutdown is complete when all processes are leaving.
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
    last_message: float = field(default_factory=time.monotonic)
    leaves: bool = False
    follows: bool = False

    def __str__(self) -> str:
        return f"process {self.process} ({self.name})"


@final
class Coordinator:
    """A thread that listens to all processes of the program and notifies each of changes in the others."""

    def __init__(self, options: Options, service: Callable[[], str]) -> None:
        """Listen at the coordinator address. `service` is called once all have joined.

        Args:
            options: the address, the number of processes and the timeouts.
            service: starts jaxlib's coordination service, and returns its address.

        Raises:
            DistributedError: the port is in use, or the address is not one of this machine.
        """
        self._options = options
        self._service = service
        self._members: dict[int, _Member] = {}
        self._pending: list[_Member] = []  # connections that have not joined yet
        self._started = False
        self._over = False
        self._closed: set[int] = set()
        self._selector = selectors.DefaultSelector()
        self._listener = _listening_socket(options)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._deadline = time.monotonic() + options.initialization_timeout
        self._failure: str | None = None  # why start-up failed
        self._thread = threading.Thread(target=self._run, name="treadle-coordinator", daemon=True)
        self._thread.start()

    def close(self, patience: float) -> None:
        """Wait until every connection is closed, for at most `patience` seconds, and stop listening."""
        self._thread.join(patience)
        self._over = True

    # ---- the thread

    def _run(self) -> None:
        try:
            while not self._over and not (
                self._started and len(self._closed) == self._options.processes
            ):
                for key, _ in self._selector.select(_TICK):
                    if key.fileobj is self._listener:
                        self._accept()
                    else:
                        self._read(key.data)
                self._check_timeouts()
        finally:
            for member in [*self._members.values(), *self._pending]:
                member.connection.close()
            self._listener.close()
            self._selector.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._listener.accept()
            connection.settimeout(5)
            member = _Member(connection)
            self._pending.append(member)
            self._selector.register(connection, selectors.EVENT_READ, member)

    def _read(self, member: _Member) -> None:
        try:
            data = member.connection.recv(1 << 16)
            messages = member.inbox.messages(data)
        except (OSError, ValueError):
            data, messages = b"", []
        member.last_message = time.monotonic()
        for message in messages:
            self._handle(member, message)
        if not data:
            self._close(member)

    def _handle(self, member: _Member, message: Message) -> None:
        kind = message["kind"]
        if kind == "join" and member.process is None:
            self._join(member, message)
        elif kind == "failed" and member.process is not None:
            self._report_lost(member, f"{member} ended with {message.get('why')}")
        elif kind == "follow":
            member.leaves = member.follows = True
        elif kind == "leave" and member.process is not None:
            member.leaves = True
            self._broadcast({"kind": "left", "process": member.process, "name": member.name})
            if all(each.leaves for each in self._members.values()):
                self._broadcast({"kind": "end"})

    def _join(self, member: _Member, message: Message) -> None:
        process, count = message.get("process"), message.get("processes")
        member.name = str(message.get("name"))
        if self._failure is not None:
            send(member.connection, {"kind": "refused", "why": self._failure})
            return
        expected = self._options.processes
        if message.get("protocol") != PROTOCOL or not isinstance(process, int):
            self._reject(member, f"{member.name} has a different version of treadle")
        elif count != expected:
            self._reject(
                member,
                f"num_processes is {count} in {member.name}, and {expected} in process 0",
            )
        elif process in self._members:
            other = self._members[process].name
            self._reject(
                member,
                f"two processes have the process_id {process}: {other} and {member.name}",
            )
        else:
            member.process = process
            self._pending.remove(member)
            self._members[process] = member
            if len(self._members) == expected:
                self._start()

    def _start(self) -> None:
        try:
            address = self._service()
        except DistributedError as error:
            self._fail(str(error).removeprefix("initialize: "))
            return
        self._started = True
        names = [self._members[each].name for each in sorted(self._members)]
        self._broadcast({"kind": "begin", "service": address, "names": names})

    def _reject(self, member: _Member, why: str) -> None:
        """Reject a process; before the start, this aborts start-up in every process that has joined."""
        send(member.connection, {"kind": "refused", "why": why})
        if not self._started:
            self._fail(why)

    def _fail(self, why: str) -> None:
        if self._failure is not None:
            return
        self._broadcast({"kind": "refused", "why": why})
        self._failure = why
        self._deadline = (
            time.monotonic() + _LINGER
        )  # processes that join until then get the same reason

    def _close(self, member: _Member) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(member.connection)
        member.connection.close()
        if member.process is None:
            if member in self._pending:
                self._pending.remove(member)
        elif not self._started:
            self._fail(f"{member} ended before all processes had joined")
        elif not member.leaves:
            self._report_lost(
                member, f"{member} disconnected unexpectedly: it was killed, or crashed"
            )
        elif not member.follows and not all(each.leaves for each in self._members.values()):
            self._report_lost(
                member, f"{member} exited early, while other processes were still running"
            )
        if member.process is not None:
            self._closed.add(member.process)

    def _report_lost(self, member: _Member, why: str) -> None:
        member.leaves = member.follows = True  # that its connection closes now is expected
        self._broadcast({"kind": "lost", "process": member.process, "why": why})

    def _check_timeouts(self) -> None:
        now = time.monotonic()
        if self._failure is not None:
            self._over |= now > self._deadline
        elif not self._started and now > self._deadline:
            missing = [str(n) for n in range(self._options.processes) if n not in self._members]
            self._fail(
                f"{_processes(missing)} did not join within {self._options.initialization_timeout} seconds; "
                f"{_processes([str(n) for n in sorted(self._members)])} did"
            )
        for member in self._members.values():
            silent = now - member.last_message
            if (
                self._started
                and silent > self._options.heartbeat_timeout
                and member.process not in self._closed
            ):
                self._closed.add(member.process or 0)
                self._report_lost(
                    member,
                    f"no message from {member} for {self._options.heartbeat_timeout} seconds: it is stopped, or "
                    "its machine or network is down",
                )

    def _broadcast(self, message: Message) -> None:
        for member in self._members.values():
            send(member.connection, message)


def _processes(numbers: list[str]) -> str:
    return f"process{'es' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def _listening_socket(options: Options) -> socket.socket:
    host, port = options.bind_host, options.bind_port
    try:
        family = socket.getaddrinfo(host or "0.0.0.0", port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server(
            (host, port), family=family, backlog=max(128, options.processes)
        )
    except OSError as error:
        where = f"port {port} of {host or 'this machine'}"
        if error.errno == errno.EADDRINUSE:
            what = (
                f"initialize: {where} is in use, by another program or an earlier run of this one"
            )
            raise DistributedError(what, fix="end that program, or choose another port") from None
        raise DistributedError(
            f"initialize: process 0 cannot listen at {where}: {error}",
            fix="give an address of the machine that process 0 runs on as coordinator_address, "
            "or the local address to listen at as coordinator_bind_address",
        ) from None
    listener.settimeout(5)
    return listener

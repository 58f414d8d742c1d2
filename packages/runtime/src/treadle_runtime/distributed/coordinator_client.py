"""The connection of one process to the coordinator: joining, failure notifications, and leaving."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Final, final

from treadle_ir.process import fork_safe_lock
from treadle_runtime.client.peers import DistributedError
from treadle_runtime.distributed.messages import PROTOCOL, Inbox, Message, send
from treadle_runtime.distributed.options import Options

_RETRY: Final = 0.1


@final
class CoordinatorClient:
    """A connection to the coordinator, with a thread that receives messages and a thread that sends heartbeats."""

    def __init__(self, options: Options) -> None:
        """Join, and wait until all processes have joined.

        Raises:
            DistributedError: the coordinator does not answer, or not all processes join.
        """
        self._options = options
        self._ended = threading.Event()
        self._closing = False
        self._failed = False
        self._loss_reported = False
        self._sending = fork_safe_lock()
        self._lost: Callable[[int, str], object] = lambda process, why: None
        self._left: Callable[[int, str], object] = lambda process, name: None
        self._inbox = Inbox()
        self._waiting: list[Message] = []
        end = time.monotonic() + options.initialization_timeout
        self._connection = _connected(options, end)
        self.hostname: str = self._connection.getsockname()[0]
        name = f"{socket.gethostname()}, pid {os.getpid()}"
        self._send(
            {
                "kind": "join",
                "protocol": PROTOCOL,
                "process": options.process,
                "processes": options.processes,
                "name": name,
            }
        )
        first = self._first(end)
        if first["kind"] != "begin":
            self._connection.close()
            raise DistributedError(
                f"initialize: {first.get('why')}",
                fix="start num_processes processes, each with its own process_id",
            )
        self.service: str = first["service"]
        self.names: list[str] = first["names"]

    def listen(
        self, lost: Callable[[int, str], object], left: Callable[[int, str], object]
    ) -> None:
        """Start the threads that receive messages and send heartbeats.

        Args:
            lost: called with the number of a process and the reason when a process has failed.
            left: called with the number and the name of a process when it is leaving.
        """
        self._lost, self._left = lost, left
        self._connection.settimeout(None)
        for work in (self._receive, self._beat):
            threading.Thread(target=work, name="treadle-coordinator-client", daemon=True).start()

    def fail(self, why: str) -> None:
        """Notify the other processes that this one ends, and why."""
        self._failed = True
        self._send({"kind": "failed", "why": why})

    def follow(self) -> None:
        """Notify the coordinator that this process ends because another one failed."""
        self._failed = True
        self._send({"kind": "follow"})

    def leave(self, timeout: float) -> bool:
        """Notify the coordinator that this process is leaving, and wait until all are leaving or one has failed.

        Returns whether all are leaving; False also after `timeout` seconds.
        """
        self._send({"kind": "leave"})
        until = time.monotonic() + timeout
        while not self._ended.wait(0.1):
            if self._loss_reported or time.monotonic() > until:
                return self._ended.is_set()
        return True

    def close(self) -> None:
        """Close the connection."""
        self._closing = True
        self._ended.set()
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    # ---- inside

    def _send(self, message: Message) -> None:
        with self._sending:
            send(self._connection, message)

    def _first(self, end: float) -> Message:
        """Return the first message; a refusal with the reason if none arrives until `end`."""
        host, port = self._options.host, self._options.port
        while not self._waiting:
            # The coordinator knows which processes are missing, and reports them at the timeout: wait a little longer.
            self._connection.settimeout(max(0.1, end + 2 - time.monotonic()))
            try:
                data = self._connection.recv(1 << 16)
                self._waiting += self._inbox.messages(data)
            except TimeoutError:
                return {
                    "kind": "refused",
                    "why": f"the coordinator at {host}:{port} did not start the program within "
                    f"{self._options.initialization_timeout} seconds",
                }
            except (OSError, ValueError):
                data = b""
            if not data and not self._waiting:
                return {
                    "kind": "refused",
                    "why": f"the coordinator at {host}:{port} closed the connection, or is not a treadle process",
                }
        return self._waiting.pop(0)

    def _receive(self) -> None:
        while True:
            for message in self._waiting:
                kind = message["kind"]
                self._loss_reported |= kind == "lost"
                if kind == "lost" and message["process"] != self._options.process:
                    self._lost(message["process"], message["why"])
                elif kind == "lost" and not self._failed:
                    # after a heartbeat timeout: the others continue without this process
                    self._lost(
                        message["process"], f"the others gave up this process: {message['why']}"
                    )
                elif kind == "left":
                    self._left(message["process"], message["name"])
                elif kind == "end":
                    self._ended.set()
            self._waiting = []
            try:
                data = self._connection.recv(1 << 16)
                self._waiting = self._inbox.messages(data)
            except (OSError, ValueError):
                data = b""
            if not data:
                # The coordinator also exits after it has reported the loss of another process.
                if not self._closing and not self._ended.is_set() and not self._loss_reported:
                    self._lost(
                        0,
                        f"process 0 ({self.names[0]}), the coordinator, disconnected unexpectedly: it was killed, "
                        "or crashed",
                    )
                return

    def _beat(self) -> None:
        while not self._ended.wait(min(10.0, self._options.heartbeat_timeout / 4)):
            self._send({"kind": "here"})


def _connected(options: Options, end: float) -> socket.socket:
    """Return a connection to the coordinator, which may start listening later than this process starts connecting."""
    while True:
        left = end - time.monotonic()
        try:
            return socket.create_connection(
                (options.host, options.port), timeout=max(0.1, min(5.0, left))
            )
        except socket.gaierror as error:
            problem: OSError = error
        except OSError as error:
            problem = error
        if left <= 0:
            raise DistributedError(
                f"initialize: process 0 did not accept connections at {options.host}:{options.port} within "
                f"{options.initialization_timeout} seconds ({problem})",
                fix="check that process 0 is running, that coordinator_address is the same in all processes, and that "
                "no firewall blocks the connection",
            ) from None
        time.sleep(_RETRY)

"""The line of one process to the meeting: joining, hearing of the others, and parting."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Final, final

from treadle_ir import fork_safe_lock
from treadle_runtime.client.peers import DistributedError
from treadle_runtime.distributed.messages import PROTOCOL, Inbox, Message, send
from treadle_runtime.distributed.options import Options

_RETRY: Final = 0.1


@final
class Line:
    """A connection to the meeting, with a thread that listens to it and says now and then that this process is there.

    `lost` is called with a process and a sentence when one is gone, `left` with its name when one says that it leaves.
    """

    def __init__(self, options: Options) -> None:
        """Join, and wait until all have joined.

        Raises:
            DistributedError: nobody answers there, or not all processes come.
        """
        self._options = options
        self._ended = threading.Event()
        self._closing = False
        self._failed = False
        self._heard_of_a_loss = False
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
                fix="start as many processes as num_processes says, each with a process_id of its own",
            )
        self.service: str = first["service"]
        self.names: list[str] = first["names"]

    def listen(
        self, lost: Callable[[int, str], object], left: Callable[[int, str], object]
    ) -> None:
        """Start the threads that listen, and that say that this process is there."""
        self._lost, self._left = lost, left
        self._connection.settimeout(None)
        for work in (self._listen, self._beat):
            threading.Thread(target=work, name="treadle-line", daemon=True).start()

    def fail(self, why: str) -> None:
        """Tell the others that this process ends, and why."""
        self._failed = True
        self._send({"kind": "failed", "why": why})

    def follow(self) -> None:
        """Say that this process ends because another one was lost, which is no news."""
        self._failed = True
        self._send({"kind": "follow"})

    def leave(self, timeout: float) -> bool:
        """Say that this process has nothing more to do with the others, and wait for all to say so, or for a loss."""
        self._send({"kind": "leave"})
        until = time.monotonic() + timeout
        while not self._ended.wait(0.1):
            if self._heard_of_a_loss or time.monotonic() > until:
                return self._ended.is_set()
        return True

    def close(self) -> None:
        """Part."""
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
        """The first message that comes in."""
        host, port = self._options.host, self._options.port
        while not self._waiting:
            # The meeting knows who is missing, and says so when the time is over: wait a little longer for that.
            self._connection.settimeout(max(0.1, end + 2 - time.monotonic()))
            try:
                data = self._connection.recv(1 << 16)
                self._waiting += self._inbox.messages(data)
            except TimeoutError:
                return {
                    "kind": "refused",
                    "why": f"the coordinator at {host}:{port} did not begin within "
                    f"{self._options.initialization_timeout} seconds",
                }
            except (OSError, ValueError):
                data = b""
            if not data and not self._waiting:
                return {
                    "kind": "refused",
                    "why": f"the coordinator at {host}:{port} ended, or is no process of treadle",
                }
        return self._waiting.pop(0)

    def _listen(self) -> None:
        while True:
            for message in self._waiting:
                kind = message["kind"]
                self._heard_of_a_loss |= kind == "lost"
                if kind == "lost" and message["process"] != self._options.process:
                    self._lost(message["process"], message["why"])
                elif kind == "lost" and not self._failed:
                    # by silence: the others have gone on without this process
                    self._lost(
                        message["process"], f"the others gave this process up: {message['why']}"
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
                # The coordinator ends as well when it hears that another process was lost, and that was told.
                if not self._closing and not self._ended.is_set() and not self._heard_of_a_loss:
                    self._lost(
                        0,
                        f"process 0 ({self.names[0]}), the coordinator, ended without a word: it was killed, "
                        "or crashed",
                    )
                return

    def _beat(self) -> None:
        while not self._ended.wait(min(10.0, self._options.heartbeat_timeout / 4)):
            self._send({"kind": "here"})


def _connected(options: Options, end: float) -> socket.socket:
    """A connection to the meeting, which may open later than this process asks for it."""
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
                f"initialize: process 0 did not open the meeting at {options.host}:{options.port} within "
                f"{options.initialization_timeout} seconds ({problem})",
                fix="see that process 0 runs, that coordinator_address is the same in all processes, and that no "
                "firewall is between",
            ) from None
        time.sleep(_RETRY)

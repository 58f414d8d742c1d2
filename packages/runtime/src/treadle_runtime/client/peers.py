"""The other processes of the program, as the runtime's clients know them: jaxlib's coordination service and client."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final, final

from treadle_compiler import jaxlib, never_destroyed
from treadle_ir import TreadleError, UnsupportedError
from treadle_ir.errors import ExecutionError
from treadle_ir.process import fork_safe_rlock
from treadle_runtime.client.steps import Launches

_QUIET: Final = 1_000_000
"""Seconds until jaxlib itself gives up a silent process. Our coordinator detects it sooner, with its name and the
cause.
"""


class DistributedError(TreadleError, RuntimeError):
    """A distributed program could not be started, or an operation over several processes failed."""


class ProcessFailureError(DistributedError, ExecutionError):
    """Another process of the program failed, or left, while this one needed it."""


class ProcessMismatchError(DistributedError, AssertionError):
    """Processes of one program have different values, or are at different points, where they must agree."""


@final
class Peers:
    """The processes of the program and their states; thread-safe.

    `client` is jaxlib's client, with a key-value store and barriers; `hostname` is the address of this process.
    """

    __slots__ = (
        "_changed",
        "_failures",
        "client",
        "collectives",
        "count",
        "give_up",
        "hostname",
        "launches",
        "left",
        "local_device_ids",
        "process",
        "timeout",
    )

    def __init__(
        self,
        process: int,
        count: int,
        hostname: str,
        local_device_ids: tuple[int, ...] | None,
        client: Any,  # jaxlib's
        timeout: int,
        collectives: str | None = "gloo",
    ) -> None:
        self.process = process
        self.count = count
        self.hostname = hostname
        self.local_device_ids = local_device_ids
        self.client = client
        self.collectives = collectives  # the transport between CPUs: gloo, or None
        self.timeout = timeout  # default seconds to wait for other processes
        self.launches: dict[str, Launches] = {}  # by group of processes
        self.left: dict[int, str] = {}  # the names of the processes that have ended
        self._failures: dict[int, str] = {}
        # Called with a process and the reason when this process cannot continue with that one.
        self.give_up: Callable[[int, str], object] = self.lost
        self._changed = threading.Condition(fork_safe_rlock())

    def lost(self, process: int, why: str) -> None:
        """Record that `process` has failed; `why` is a sentence with its name and the cause."""
        with self._changed:
            self._failures.setdefault(process, why)
            self._changed.notify_all()

    @property
    def failures(self) -> dict[int, str]:
        """The processes that have failed, each with a sentence that gives its name and the cause."""
        with self._changed:
            return dict(self._failures)

    def error(
        self, doing: str, wait: float = 0.0, where: str | None = None
    ) -> ProcessFailureError | None:
        """Return the error that an operation raises after a process has failed; None if none has.

        Args:
            doing: the operation.
            wait: how many seconds to wait for a failure.
            where: the user's line; by default, the current one.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._failures, timeout=wait)
            if not self._failures:
                return None
            sentences = "; ".join(self._failures[each] for each in sorted(self._failures))
        return ProcessFailureError(
            f"{doing}: {sentences}",
            fix="look at the output of that process first; then start all of them again, from the last checkpoint",
            where=where,
        )

    def check(self, doing: str) -> None:
        """Raise an error if a process has failed.

        Raises:
            ProcessFailureError: a process has failed.
        """
        if self._failures:
            error = self.error(doing)
            if error is not None:
                raise error

    def ask(self, question: Callable[[], Any], doing: str) -> Any:
        """Return the result of `question`, which calls a method of `client`.

        Raises:
            ProcessFailureError: the service does not answer, because a process has failed.
            DistributedError: the service does not answer for another reason.
        """
        try:
            return question()
        except jaxlib().core.JaxRuntimeError as error:
            raise self._unanswered(error, doing) from error

    def _unanswered(self, error: Exception, doing: str) -> DistributedError:
        # The connection may break a moment before we are notified of the failure that broke it.
        return self.error(doing, wait=2.0) or DistributedError(
            f"{doing}: {str(error).splitlines()[0]}"
        )

    def wait(
        self, attempt: Callable[[int], Any], doing: str, who: int, what: str, timeout: float
    ) -> Any:
        """Call `attempt` repeatedly until it does not time out, and return its result.

        Args:
            attempt: a function of a timeout in milliseconds.
            doing: the operation, for error messages.
            who: the process whose action ends the wait.
            what: what that process did not do, for error messages.
            timeout: how many seconds to wait.

        Raises:
            ProcessFailureError: a process has failed, or `who` has ended.
            DistributedError: the wait timed out.
        """
        end = time.monotonic() + timeout
        while True:
            self.check(doing)
            left = end - time.monotonic()
            name = self.left.get(who)
            try:
                return attempt(max(1, round(1000 * min(0.5, left))))
            except jaxlib().core.JaxRuntimeError as error:
                if "DEADLINE_EXCEEDED" not in str(error):
                    raise self._unanswered(error, doing) from error
                if name is not None:
                    raise ProcessFailureError(
                        f"{doing}: process {who} ({name}) {what}, and has ended",
                        fix="make the same calls in the same order in every process, up to its end",
                    ) from None
                if left <= 0:
                    raise DistributedError(
                        f"{doing}: process {who} {what} within {timeout:g} seconds",
                        fix="check what that process is doing; every process has to make the same calls in the same "
                        "order",
                    ) from None

    def cpu_collectives(self) -> Any:  # jaxlib's
        """Return jaxlib's collectives between the CPUs of the processes; None if they are disabled.

        Raises:
            UnsupportedError: the setting asks for MPI.
        """
        if self.collectives == "mpi":
            raise UnsupportedError(
                "cpu_collectives_implementation is `mpi`, which treadle does not support",
                fix="use `gloo`, the default",
            )
        if self.collectives != "gloo":
            return None
        return jaxlib().core.make_gloo_tcp_collectives(self.client, hostname=self.hostname)


met: Final[list[Peers]] = []
"""The other processes of the program: one entry from `initialize` to `shutdown`, otherwise empty."""


def coordination_client() -> Any:  # jaxlib's
    """Return jaxlib's client of the coordination service, for libraries that use it; None for a single process."""
    return met[0].client if met else None


def start_service(address: str, count: int, recoverable: int | None) -> Any:  # jaxlib's service
    """Start jaxlib's coordination service, in process 0, and return it.

    Args:
        address: the address at which it listens.
        count: the number of processes.
        recoverable: the heartbeat timeout if processes continue after a failure; otherwise None.

    Raises:
        DistributedError: it cannot be started at `address`.
    """
    try:
        return jaxlib().core.get_distributed_runtime_service(
            address,
            count,
            heartbeat_timeout=recoverable or _QUIET,
            shutdown_timeout=10,
            recoverable=recoverable is not None,
        )
    except jaxlib().core.JaxRuntimeError as error:
        raise DistributedError(
            f"initialize: the coordination service cannot be started at {address}: {str(error).splitlines()[0]}",
            fix="choose a different coordinator_address",
        ) from error


def connect(
    address: str,
    process: int,
    timeout: int,
    recoverable: int | None,
    failed: Callable[..., object],
) -> Any:  # jaxlib's client
    """Return jaxlib's client, connected to the coordination service; `failed` is called when the service is gone.

    Raises:
        DistributedError: the service does not answer.
    """
    core = jaxlib().core
    client = core.get_distributed_runtime_client(
        address,
        process,
        init_timeout=timeout,
        heartbeat_timeout=recoverable or _QUIET,
        shutdown_timeout=10,
        missed_heartbeat_callback=failed,
        shutdown_on_destruction=False,
    )
    try:
        client.connect()
    except core.JaxRuntimeError as error:
        raise DistributedError(
            f"initialize: the coordination service at {address} does not answer: {str(error).splitlines()[0]}",
            fix="check that process 0 is still running and that no firewall blocks the connection",
        ) from error
    never_destroyed(client)  # destroying a client whose service is gone ends the process
    return client

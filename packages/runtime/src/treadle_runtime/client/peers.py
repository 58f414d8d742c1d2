"""The other processes of the program, as the runtime's clients know them: jaxlib's coordination service and client."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

from treadle_compiler import jaxlib, never_destroyed
from treadle_ir import ExecutionError, TreadleError, UnsupportedError, fork_safe_rlock

if TYPE_CHECKING:
    from treadle_runtime.distributed.order import Launches

_QUIET: Final = 1_000_000
"""Seconds until jaxlib itself gives a silent process up. Ours are heard of sooner, with their name and the cause."""


class DistributedError(TreadleError, RuntimeError):
    """Several processes cannot be started together, or cannot do something together."""


class ProcessFailureError(DistributedError, ExecutionError):
    """Another process of the program was lost, or left, while this one needed it."""


class ProcessMismatchError(DistributedError, AssertionError):
    """Processes of one program have different values, or are at different places, where they must not."""


@final
class Peers:
    """The processes of the program and what became of them. Threads may ask at once.

    `client` is jaxlib's, with a key-value store and barriers; `hostname` the address at which others reach this one.
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
        self.collectives = collectives  # what moves data between CPUs: gloo, or nothing
        self.timeout = timeout  # seconds to wait for others, where no other time is given
        self.launches: dict[str, Launches] = {}  # by group of processes
        self.left: dict[
            int, str
        ] = {}  # the processes that have come to their end, each with its name
        self._failures: dict[int, str] = {}
        # Called with a process and a sentence where this one finds that it cannot go on with it.
        self.give_up: Callable[[int, str], object] = self.lost
        self._changed = threading.Condition(fork_safe_rlock())

    def lost(self, process: int, why: str) -> None:
        """Note that a process is gone, and why: its name and the cause, a sentence."""
        with self._changed:
            self._failures.setdefault(process, why)
            self._changed.notify_all()

    @property
    def failures(self) -> dict[int, str]:
        """The processes that are gone, each with a sentence that names it and the cause."""
        with self._changed:
            return dict(self._failures)

    def error(
        self, doing: str, wait: float = 0.0, where: str | None = None
    ) -> ProcessFailureError | None:
        """The error for what was being done when a process was lost; None if none is, also after waiting so long."""
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
        """Raise the error if a process is gone.

        Raises:
            ProcessFailureError: one is.
        """
        if self._failures:
            error = self.error(doing)
            if error is not None:
                raise error

    def ask(self, question: Callable[[], Any], doing: str) -> Any:
        """What a call of `client` returns.

        Raises:
            ProcessFailureError: the service does not answer, because a process was lost.
            DistributedError: it does not answer, for another reason.
        """
        try:
            return question()
        except jaxlib().core.JaxRuntimeError as error:
            raise self._unanswered(error, doing) from error

    def _unanswered(self, error: Exception, doing: str) -> DistributedError:
        # The connection may break a moment before we hear of the process whose end broke it.
        return self.error(doing, wait=2.0) or DistributedError(
            f"{doing}: {str(error).splitlines()[0]}"
        )

    def wait(
        self, attempt: Callable[[int], Any], doing: str, who: int, what: str, timeout: float
    ) -> Any:
        """What `attempt` returns, called with milliseconds again and again until it does not time out.

        It is for the process `who` to end the wait; an error says `what` it did not do.

        Raises:
            ProcessFailureError: a process was lost meanwhile, or this one has come to its end.
            DistributedError: the time is over.
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
                        f"{doing}: process {who} ({name}) {what}, and has come to its end",
                        fix="make the same calls in the same order in every process, up to its end",
                    ) from None
                if left <= 0:
                    raise DistributedError(
                        f"{doing}: process {who} {what} within {timeout:g} seconds",
                        fix="look at what that process does; every process has to make the same calls in the same "
                        "order",
                    ) from None

    def cpu_collectives(self) -> Any:  # jaxlib's
        """What moves data between the CPUs of the processes; None where there is to be nothing.

        Raises:
            UnsupportedError: the setting asks for MPI.
        """
        if self.collectives == "mpi":
            raise UnsupportedError(
                "cpu_collectives_implementation is `mpi`, which treadle does not start",
                fix="use `gloo`, the default",
            )
        if self.collectives != "gloo":
            return None
        return jaxlib().core.make_gloo_tcp_collectives(self.client, hostname=self.hostname)


met: Final[list[Peers]] = []
"""The other processes of the program: one entry from `initialize` to `shutdown`, else none."""


def coordination_client() -> Any:  # jaxlib's
    """jaxlib's client of the coordination service, None where there is one process: for libraries that use it."""
    return met[0].client if met else None


def start_service(address: str, count: int, recoverable: int | None) -> Any:  # jaxlib's service
    """jaxlib's coordination service, for process 0.

    `recoverable` is the heartbeat timeout where processes go on without those that were lost; else None.

    Raises:
        DistributedError: it cannot be started there.
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
            fix="choose another coordinator_address",
        ) from error


def connect(
    address: str,
    process: int,
    timeout: int,
    recoverable: int | None,
    failed: Callable[..., object],
) -> Any:  # jaxlib's client
    """jaxlib's client of the coordination service, connected; `failed` is called when the service is gone.

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
            fix="see that process 0 still runs and that no firewall is between the machines",
        ) from error
    never_destroyed(client)  # destroying one whose service is gone ends the process
    return client

"""Joining and leaving a distributed program: `initialize`, `shutdown` and `is_initialized`."""

from __future__ import annotations

import atexit
import os
import socket
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final, final

from treadle_compiler import check_fork
from treadle_ir.errors import capture, location_of
from treadle_ir.process import fork_safe_lock
from treadle_runtime.client import backends
from treadle_runtime.client.peers import DistributedError, Peers, connect, start_service
from treadle_runtime.distributed.coordinator import Coordinator
from treadle_runtime.distributed.coordinator_client import CoordinatorClient
from treadle_runtime.distributed.ending import EXIT_CODE, end, end_after, replace_terminate
from treadle_runtime.distributed.options import Options, resolved
from treadle_runtime.distributed.order import MOST_ASKED, disagreement, publish
from treadle_runtime.settings import CPU_COLLECTIVES, GRACE, RECOVERABILITY

__all__ = ["initialize", "is_initialized", "shutdown"]


@final
class Session:
    """The participation of this process in a distributed program, from `initialize` to `shutdown`."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.began_at = capture().show()
        self.pid = os.getpid()
        self.thread = threading.main_thread().ident or 0
        self.over = False
        self.raised = False
        self.service_gone = False
        # If the others continue without a failed process, jaxlib's service has to detect the failure, too.
        self.recoverable = options.heartbeat_timeout if RECOVERABILITY() else None
        self.service: Any = None  # jaxlib's, in process 0
        self.coordinator = Coordinator(options, self._serve) if options.process == 0 else None
        try:
            connection = CoordinatorClient(options)
            self.connection: Final = connection
            client = connect(
                connection.service,
                options.process,
                options.initialization_timeout,
                self.recoverable,
                self._service_gone,
            )
        except BaseException:
            if self.coordinator is not None:
                self.coordinator.close(1.0)
            raise
        self.peers = Peers(
            options.process,
            options.processes,
            connection.hostname,
            options.local_device_ids,
            client,
            options.initialization_timeout,
            CPU_COLLECTIVES(),
        )
        self.peers.give_up = self._given_up
        self._terminate = replace_terminate(self._service_gone)
        connection.listen(self._lost, self.peers.left.__setitem__)

    def _serve(self) -> str:
        """Start jaxlib's coordination service at a free port of this machine, and return its address."""
        with socket.socket() as free:
            free.bind(("", 0))
            port = free.getsockname()[1]
        host = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
        self.service = start_service(f"{host}:{port}", self.options.processes, self.recoverable)
        return f"{host}:{port}"

    # ---- failures of other processes

    def _lost(self, process: int, why: str) -> None:
        if self.over:
            return
        first = not self.peers.failures
        self.peers.lost(process, why)
        if first and self.recoverable is None:
            end_after(GRACE(), lambda: not self.over, self.termination_message)

    def _given_up(self, process: int, why: str) -> None:
        """Fail, since this process cannot continue with `process`, and the rest cannot continue without both."""
        self.connection.fail(f"an error: {why}")
        self._lost(process, why)

    def _service_gone(self, *status: object) -> None:
        """End the process, after a period in which Python can end it. Runs in a thread of jaxlib, and never returns."""
        self.service_gone = True
        time.sleep(GRACE())
        if not self.over:
            end(self.termination_message())
        while True:  # Python continues, and ends the process itself (`_at_exit`); this thread must not return
            time.sleep(60)

    def termination_message(self) -> str:
        """Return the message of a process that is terminated because it cannot continue."""
        doing = f"process {self.options.process} ends, because it cannot continue"
        error = self.peers.error(doing, where=location_of(sys._current_frames().get(self.thread)))
        if error is None:
            return f"treadle: {doing}: jaxlib's coordination service in process 0 is gone"
        return "\n".join([f"treadle.errors.ProcessFailureError: {error}", *error.__notes__])

    # ---- shutdown

    def fail(self, error: BaseException) -> None:
        """Notify the other processes that `error` ends this process."""
        self.raised = True
        if self.peers.failures:
            self.connection.follow()
            self.close()
            return
        text = str(error).splitlines()
        self.connection.fail(f"{type(error).__name__}{': ' + text[0][:500] if text else ''}")
        self.close()

    def leave(self) -> None:
        """Wait until all processes leave, and shut down.

        Raises:
            DistributedError: some processes do not leave in time.
            ProcessFailureError: a process has failed.
        """
        if self.peers.failures:
            self.connection.follow()
            self.close()
            return
        for launches in self.peers.launches.values():
            launches.note("ends")
            publish(self.peers, launches)
        all_leave = self.connection.leave(self.options.shutdown_timeout)
        if all_leave:
            self._check_order()
        error = self.peers.error("shutdown")
        try:
            if all_leave and error is None:
                self.over = True
                self.peers.ask(self.peers.client.shutdown, "shutdown")
        finally:
            self.close()
        if error is not None:
            raise error
        if not all_leave:
            raise DistributedError(
                f"shutdown: not all processes reached it within {self.options.shutdown_timeout} seconds, so they may "
                "still be waiting for this one",
                fix="let every process make the same calls, or raise shutdown_timeout_seconds",
            )

    def _check_order(self) -> None:
        """Check that all processes have launched the same programs in the same order, as far as recorded."""
        for launches in self.peers.launches.values():
            found = disagreement(self.peers, launches, MOST_ASKED)
            if found is not None:
                self.peers.lost(*found)

    def close(self) -> None:
        """Disconnect without a barrier."""
        self.over = True
        self.connection.close()
        if self.coordinator is not None:
            # After a failure, leave the others a moment to receive the notification.
            self.coordinator.close(1.0 if self.raised or self.peers.failures else 5.0)
        backends.part(self.peers)


_session: Final[list[Session]] = []  # one, or none
_lock: Final = fork_safe_lock()


def initialize(
    coordinator_address: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
    local_device_ids: int | Sequence[int] | None = None,
    cluster_detection_method: str | None = None,
    initialization_timeout: int = 300,
    heartbeat_timeout_seconds: int = 100,
    shutdown_timeout_seconds: int = 300,
    coordinator_bind_address: str | None = None,
) -> None:
    """Join a program of several processes; from then on `devices()` returns the devices of all of them.

    Every process of the program calls it, before anything that needs a device, and waits for the others. Arguments that
    are not passed are read from the environment, under `python -m treadle.distributed.run`, Slurm, Open MPI, PMI and
    Kubernetes. Times are in seconds.

    Args:
        coordinator_address: host and port at which process 0 listens, such as `10.0.0.1:8476`.
        num_processes: the number of processes.
        process_id: the number of this process, from 0.
        local_device_ids: the accelerators of this machine that belong to this process; by default, all.
        cluster_detection_method: the only environment to read: `launcher`, `slurm`, `ompi`, `mpi`, `k8s`; `deactivate`
            reads none.
        initialization_timeout: how long to wait for all processes to join.
        heartbeat_timeout_seconds: how long a process may be silent before it counts as failed. Killed processes are
            detected immediately.
        shutdown_timeout_seconds: how long to wait in `shutdown` for all processes.
        coordinator_bind_address: the local address at which process 0 listens, if it differs.

    Raises:
        DistributedError: this process is initialized already, the port is in use, two processes have the same number,
            or some do not join.
        PlatformError: a device has been used already.
        ArgumentError: an argument has the wrong type or is out of range, or could not be determined.

    Example:
        >>> import treadle
        >>> treadle.distributed.initialize("localhost:8476", num_processes=1, process_id=0)  # doctest: +SKIP
    """
    check_fork()
    with _lock:
        if _session:
            raise DistributedError(
                f"initialize: this process is initialized already, since {_session[0].began_at}",
                fix="call it once, at the beginning, or call shutdown() first",
            )
        options = resolved(
            os.environ,
            coordinator_address,
            num_processes,
            process_id,
            local_device_ids,
            cluster_detection_method,
            initialization_timeout,
            heartbeat_timeout_seconds,
            shutdown_timeout_seconds,
            coordinator_bind_address,
        )
        backends.check_not_started("initialize")
        session = Session(options)
        backends.meet(session.peers)
        _session.append(session)
        _watch_exceptions()
        atexit.register(_at_exit, session)


def shutdown() -> None:
    """Wait until all processes call it, and disconnect. It is called automatically when the program ends.

    After a process has failed, it does not wait; this process then continues alone, without collectives.

    Raises:
        DistributedError: not all processes called it within `shutdown_timeout_seconds`.
        ProcessFailureError: a process failed in the meantime.

    Example:
        >>> import treadle
        >>> treadle.distributed.shutdown()  # does nothing unless initialize was called
    """
    with _lock:
        session = _session.pop() if _session else None
    if session is not None and session.pid == os.getpid():
        session.leave()


def is_initialized() -> bool:
    """Return whether this process has joined a program of several processes.

    Example:
        >>> import treadle
        >>> treadle.distributed.is_initialized()
        False
    """
    return bool(_session)


def _watch_exceptions() -> None:
    """Notify the other processes of an exception that ends this one."""
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        for session in [*_session]:
            if session.pid == os.getpid():
                session.fail(error)
        before(kind, error, trace)

    sys.excepthook = hook


def _at_exit(session: Session) -> None:
    if session.pid != os.getpid():  # a forked child
        return
    if not session.over:
        try:
            session.leave()
        except DistributedError as error:
            end("\n".join([f"treadle.errors.{type(error).__name__}: {error}", *error.__notes__]))
    loss = None if session.raised else session.peers.error("shutdown")
    if (
        loss is not None
    ):  # it occurred before this process began to leave, and has not been reported
        end("\n".join([f"treadle.errors.{type(loss).__name__}: {loss}", *loss.__notes__]))
    if session.raised or session.peers.failures or session.service_gone:
        # Collectives whose peers are gone may still wait in XLA's threads, which break Python's own shutdown.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(EXIT_CODE)

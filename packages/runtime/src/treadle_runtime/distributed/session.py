"""Taking part in a program of several processes: `initialize`, `shutdown`, and whether this process does."""

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
from treadle_ir import capture, fork_safe_lock, location_of
from treadle_runtime.client import backends
from treadle_runtime.client.peers import DistributedError, Peers, connect, start_service
from treadle_runtime.distributed.ending import EXIT_CODE, end, end_after, replace_terminate
from treadle_runtime.distributed.line import Line
from treadle_runtime.distributed.meeting import Meeting
from treadle_runtime.distributed.options import Options, resolved
from treadle_runtime.distributed.order import MOST_ASKED, disagreement, tell
from treadle_runtime.settings import CPU_COLLECTIVES, GRACE, RECOVERABILITY

__all__ = ["initialize", "is_initialized", "shutdown"]


@final
class Session:
    """This process's part in the program, from `initialize` to `shutdown`."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.began_at = capture().show()
        self.pid = os.getpid()
        self.thread = threading.main_thread().ident or 0
        self.over = False
        self.raised = False
        self.service_gone = False
        # Where others go on without a lost process, jaxlib's service has to know of it, too.
        self.recoverable = options.heartbeat_timeout if RECOVERABILITY() else None
        self.service: Any = None  # jaxlib's, in process 0
        self.meeting = Meeting(options, self._serve) if options.process == 0 else None
        try:
            line = Line(options)
            self.line: Final = line
            client = connect(
                line.service,
                options.process,
                options.initialization_timeout,
                self.recoverable,
                self._service_gone,
            )
        except BaseException:
            if self.meeting is not None:
                self.meeting.close(1.0)
            raise
        self.peers = Peers(
            options.process,
            options.processes,
            line.hostname,
            options.local_device_ids,
            client,
            options.initialization_timeout,
            CPU_COLLECTIVES(),
        )
        self.peers.give_up = self._given_up
        self._terminate = replace_terminate(self._service_gone)
        line.listen(self._lost, self.peers.left.__setitem__)

    def _serve(self) -> str:
        """Start jaxlib's coordination service at a free port of this machine, and say where."""
        with socket.socket() as free:
            free.bind(("", 0))
            port = free.getsockname()[1]
        host = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
        self.service = start_service(f"{host}:{port}", self.options.processes, self.recoverable)
        return f"{host}:{port}"

    # ---- when others are lost

    def _lost(self, process: int, why: str) -> None:
        if self.over:
            return
        first = not self.peers.failures
        self.peers.lost(process, why)
        if first and self.recoverable is None:
            end_after(GRACE(), lambda: not self.over, self.last_words)

    def _given_up(self, process: int, why: str) -> None:
        """This process cannot go on with another one, and the rest cannot go on without both."""
        self.line.fail(f"an error: {why}")
        self._lost(process, why)

    def _service_gone(self, *status: object) -> None:
        """In a thread of jaxlib's, which is to end the process: after a time in which Python can."""
        self.service_gone = True
        time.sleep(GRACE())
        if not self.over:
            end(self.last_words())
        while True:  # Python goes on, and ends the process itself (`_at_exit`); this thread must not come back
            time.sleep(60)

    def last_words(self) -> str:
        """What this process ends with when nothing else does."""
        doing = f"process {self.options.process} ends, because it cannot go on"
        error = self.peers.error(doing, where=location_of(sys._current_frames().get(self.thread)))
        if error is None:
            return f"treadle: {doing}: jaxlib's coordination service is gone, which process 0 kept"
        return "\n".join([f"treadle.errors.ProcessFailureError: {error}", *error.__notes__])

    # ---- the end

    def fail(self, error: BaseException) -> None:
        """Tell the others that an exception ends this process."""
        self.raised = True
        if self.peers.failures:
            self.line.follow()
            self.close()
            return
        text = str(error).splitlines()
        self.line.fail(f"{type(error).__name__}{': ' + text[0][:500] if text else ''}")
        self.close()

    def leave(self) -> None:
        """Wait until all processes leave, and part.

        Raises:
            DistributedError: some do not come.
        """
        if self.peers.failures:
            self.line.follow()
            self.close()
            return
        for launches in self.peers.launches.values():
            launches.note("ends")
            tell(self.peers, launches)
        came = self.line.leave(self.options.shutdown_timeout)
        if came:
            self._check_order()
        error = self.peers.error("shutdown")
        try:
            if came and error is None:
                self.over = True
                self.peers.ask(self.peers.client.shutdown, "shutdown")
        finally:
            self.close()
        if error is not None:
            raise error
        if not came:
            raise DistributedError(
                f"shutdown: not all processes came to it within {self.options.shutdown_timeout} seconds, so they may "
                "still wait for this one",
                fix="let every process make the same calls, or raise shutdown_timeout_seconds",
            )

    def _check_order(self) -> None:
        """See that all have launched the same programs in the same order, as far as is remembered."""
        for launches in self.peers.launches.values():
            found = disagreement(self.peers, launches, MOST_ASKED)
            if found is not None:
                self.peers.lost(*found)

    def close(self) -> None:
        """Part without waiting for anybody."""
        self.over = True
        self.line.close()
        if self.meeting is not None:
            # After a failure the others are given a moment to hear of it.
            self.meeting.close(1.0 if self.raised or self.peers.failures else 5.0)
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
    """Take part in a program of several processes; from then on `devices()` are those of all of them.

    Every process of the program calls it, before anything that needs a device, and waits there for the others. What is
    not passed is found in the environment, under `python -m treadle.distributed.run`, Slurm, Open MPI, PMI and
    Kubernetes. Times are in seconds.

    Args:
        coordinator_address: host and port at which the processes meet: of process 0, as `10.0.0.1:8476`.
        num_processes: how many there are.
        process_id: which one this is, from 0.
        local_device_ids: the accelerators of this machine that are this process's; all, unless said.
        cluster_detection_method: the one environment to ask: `launcher`, `slurm`, `ompi`, `mpi`, `k8s`; `deactivate`
            asks none.
        initialization_timeout: how long to wait for all to come.
        heartbeat_timeout_seconds: how long a process may be silent until it is taken for lost. One that is killed is
            noticed at once.
        shutdown_timeout_seconds: how long to wait at the end for all to get there.
        coordinator_bind_address: what process 0 listens at, if that is another address.

    Raises:
        DistributedError: it has been called before, the port is in use, two processes have one number, some do not
            come.
        PlatformError: a device has been used already.
        ArgumentError: an argument of another kind or out of range, or one that nobody says.

    Example:
        >>> import treadle
        >>> treadle.distributed.initialize("localhost:8476", num_processes=1, process_id=0)  # doctest: +SKIP
    """
    check_fork()
    with _lock:
        if _session:
            raise DistributedError(
                f"initialize: this process takes part already, since {_session[0].began_at}",
                fix="call it once, at the beginning, or shutdown() before",
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
    """Wait until all processes get here, and part. It happens by itself when the program ends.

    After a process has been lost it waits for nobody; this process then goes on alone, without collectives.

    Raises:
        DistributedError: not all came in `shutdown_timeout_seconds`.
        ProcessFailureError: one was lost meanwhile.

    Example:
        >>> import treadle
        >>> treadle.distributed.shutdown()  # nothing happens where nothing was initialized
    """
    with _lock:
        session = _session.pop() if _session else None
    if session is not None and session.pid == os.getpid():
        session.leave()


def is_initialized() -> bool:
    """Whether this process takes part in a program of several.

    Example:
        >>> import treadle
        >>> treadle.distributed.is_initialized()
        False
    """
    return bool(_session)


def _watch_exceptions() -> None:
    """Have the others told of an exception that ends this process."""
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
    if loss is not None:  # it came before this process began to leave, and nothing has shown it
        end("\n".join([f"treadle.errors.{type(loss).__name__}: {loss}", *loss.__notes__]))
    if session.raised or session.peers.failures or session.service_gone:
        # Collectives whose peers are gone may still wait in threads of XLA's, over which Python's own end stumbles.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(EXIT_CODE)

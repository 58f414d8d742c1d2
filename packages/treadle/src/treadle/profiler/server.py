"""A server that TensorBoard asks for profiles while the program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from treadle_ir import ArgumentError
from treadle_ir.errors import integer
from treadle_ir.process import fork_safe_lock
from treadle_runtime import devices, profiler_module

# the server of the process, if there is one. Any: jaxlib has no types
_running: Final[list[Any]] = []
_lock: Final = fork_safe_lock()


def start_server(port: int, requires_backend: bool = True) -> Any:
    """Start the server on a port: there is one in a process. `requires_backend` starts the devices first.

    Raises:
        ArgumentError: the port is not a number from 1 to 65535, or a server runs already.

    Example:
        >>> server = start_server(9012)  # TensorBoard asks `localhost:9012` for profiles
        >>> stop_server()
    """
    number = integer("start_server", "port", port)
    if not 0 < number < 1 << 16:
        raise ArgumentError(f"start_server: port is {number}", fix="give a number from 1 to 65535")
    with _lock:
        if _running:
            raise ArgumentError(
                "start_server: a profiler server runs already", fix="call `stop_server()` first"
            )
        if requires_backend:
            devices()
        _running.append(profiler_module().start_server(number))
        return _running[0]


def stop_server() -> None:
    """Stop the server.

    Raises:
        ArgumentError: there is none.

    Example:
        >>> server = start_server(9013)
        >>> stop_server()
        >>> server = start_server(9013)  # the port is free again
        >>> stop_server()
    """
    with _lock:
        if not _running:
            raise ArgumentError(
                "stop_server: no profiler server runs", fix="call `start_server(port)` first"
            )
        _running.clear()


def register_subprocess(pid: int, port: int) -> Callable[[], None]:
    """Let traces of this process include what the profiler server of a child process measures.

    Returns what takes the child out again.

    Raises:
        ArgumentError: no profiler server answers on the port, or the process is this one.

    Example:
        >>> remove = register_subprocess(child.pid, 9014)  # doctest: +SKIP
        >>> with trace("profile"):  # doctest: +SKIP
        ...     child.stdin.write(b"work")
        >>> remove()  # doctest: +SKIP
    """
    process = integer("register_subprocess", "pid", pid)
    number = integer("register_subprocess", "port", port)
    try:
        unregister: Callable[[], None] = profiler_module().register_subprocess(process, number)
    except RuntimeError as error:  # jaxlib's
        raise ArgumentError(
            f"register_subprocess: the process {process} gives no profiles on port {number}: {error}",
            fix="call `start_server(port)` in the child before this",
        ) from error
    return unregister

"""Traces: one at a time in a process, between a start and a stop."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import flags, names, refused
from treadle_ir.process import fork_safe_lock
from treadle_runtime import devices, profile_data_module, profiler_module

if TYPE_CHECKING:
    ProfileOptions = Any  # jaxlib has no types

Folder: TypeAlias = "str | PathLike[str]"

_running: Final[list[ProfileSession]] = []  # one at most
_lock: Final = fork_safe_lock()


def __getattr__(name: str) -> Any:
    if name == "ProfileOptions":  # jaxlib's class, which is not loaded before somebody asks
        return profiler_module().ProfileOptions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@final
class ProfileSession:
    """One trace: it is taken from `start()` to `stop()`, or within `with`. `profile_data` holds it afterwards.

    Calls of Python functions are not measured unless `profiler_options` ask for them, by `python_tracer_level = 1`:
    most of them are of treadle and NumPy, and hide the program. With a `log_dir` it is written there when it stops.
    `create_perfetto_trace` writes `perfetto_trace.json.gz` next to it, under a name that does not depend on the host.
    """

    def __init__(
        self,
        log_dir: Folder | None = None,
        create_perfetto_link: bool = False,
        create_perfetto_trace: bool = False,
        profiler_options: ProfileOptions | None = None,
    ) -> None:
        flags("ProfileSession", create_perfetto_trace=create_perfetto_trace)
        _no_link("ProfileSession", create_perfetto_link)
        self._folder = None if log_dir is None else _folder("ProfileSession", log_dir)
        self._perfetto = create_perfetto_trace
        self._options = profiler_options
        self._raw: Any = None  # Any: jaxlib's session, once it is started
        self.serialized: bytes | None = None

    @property
    def profile_data(self) -> Any:  # Any: jaxlib has no types
        """What was measured, as `ProfileData`; None while nothing was."""
        if self.serialized is None:
            return None
        return profile_data_module().ProfileData.from_serialized_xspace(self.serialized)

    def start(self) -> ProfileSession:
        """Begin to measure.

        Raises:
            ArgumentError: the process is being measured already.
        """
        devices()  # starting the devices is not part of the trace
        with _lock:
            if _running:
                raise ArgumentError(
                    "the profiler runs already, and takes one trace at a time",
                    fix="call `stop_trace()` first",
                )
            self._raw = profiler_module().ProfilerSession(self._options or _without_python())
            self.serialized = None
            _running.append(self)
        return self

    def stop(self) -> Any:  # Any: jaxlib has no types
        """End, write what was measured where a folder was given, and return it as `ProfileData`.

        Raises:
            ArgumentError: it has not been started.
        """
        with _lock:
            if self not in _running:
                raise ArgumentError("this session does not run", fix="call `start()` first")
            _running.clear()
            try:
                self.serialized = bytes(self._raw.stop())
            except RuntimeError as error:  # TensorBoard asked for one by the profiler server
                raise ArgumentError(
                    f"nothing was measured: another program measures this one: {error}"
                ) from error
        if self._folder is not None:
            export_profile_data(self, self._folder, create_perfetto_trace=self._perfetto)
        return self.profile_data

    def write(self, folder: str) -> None:
        """Write what was measured to a folder, as jaxlib does: `plugins/profile/<time>/<host>.*`."""
        self._raw.export(self.serialized, folder)

    def __enter__(self) -> ProfileSession:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


def _without_python() -> ProfileOptions:
    """jaxlib's defaults, without an event for each call of a Python function."""
    options = profiler_module().ProfileOptions()
    options.python_tracer_level = 0
    return options


def start_trace(
    log_dir: Folder,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: ProfileOptions | None = None,
) -> ProfileSession:
    """Begin a trace that `stop_trace()` ends and writes to a folder.

    Raises:
        ArgumentError: the process is being measured already, or the folder is not a path.
        UnsupportedError: `create_perfetto_link` is asked for.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     session = start_trace(folder)
        ...     data = stop_trace()
        >>> type(data).__name__
        'ProfileData'
    """
    session = ProfileSession(
        _folder("start_trace", log_dir),
        create_perfetto_link,
        create_perfetto_trace,
        profiler_options,
    )
    return session.start()


def stop_trace() -> Any:  # Any: jaxlib has no types
    """End the trace that `start_trace` began, write it, and return it as `ProfileData`.

    Raises:
        ArgumentError: there is none.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     session = start_trace(folder)
        ...     data = stop_trace()
        >>> sum(1 for plane in data.planes) > 0
        True
    """
    if not _running:
        raise ArgumentError(
            "stop_trace: no trace was started", fix="call `start_trace(folder)` first"
        )
    return _running[0].stop()


@contextmanager
def trace(
    log_dir: Folder | None = None,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: ProfileOptions | None = None,
) -> Iterator[ProfileSession]:
    """`with trace(folder) as session:` measures what happens meanwhile, and writes it to a folder, if one is given.

    Calls of compiled functions return before their results are there: wait for these inside, by
    `block_until_ready()`.

    Raises:
        ArgumentError: the process is being measured already, or the folder is not a path.
        UnsupportedError: `create_perfetto_link` is asked for.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, trace(folder):
        ...     pass  # what is measured
    """
    with ProfileSession(
        log_dir, create_perfetto_link, create_perfetto_trace, profiler_options
    ) as session:
        yield session


def export_profile_data(
    profile_data: ProfileSession,
    log_dir: Folder,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    session_id: str | None = None,
) -> None:
    """Write the trace of a session to a folder, as `trace` does.

    Differs from JAX: it takes the session; a `ProfileData` no longer has the bytes that it was read from.
    `session_id` names the folder of the run, instead of the time.

    Raises:
        ArgumentError: the session has measured nothing yet, or the folder is not a path.

    Example:
        >>> import pathlib
        >>> import tempfile
        >>> with trace() as session:
        ...     pass
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     export_profile_data(session, folder, session_id="first")
        ...     print([file.suffixes[-1] for file in sorted(pathlib.Path(folder).rglob("first/*"))])
        ['.gz', '.pb']
    """
    _no_link("export_profile_data", create_perfetto_link)
    flags("export_profile_data", create_perfetto_trace=create_perfetto_trace)
    if not isinstance(profile_data, ProfileSession):
        raise refused("export_profile_data", "profile_data", "a `ProfileSession`", profile_data)
    if profile_data.serialized is None:
        raise ArgumentError(
            "export_profile_data: the session has not been stopped, so there is nothing to write",
            fix="call `session.stop()` first",
        )
    names("export_profile_data", session_id=session_id)
    runs = Path(_folder("export_profile_data", log_dir)) / "plugins" / "profile"
    runs.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=runs) as aside:  # a reader sees whole runs only
        profile_data.write(aside)
        (made,) = Path(aside, "plugins", "profile").iterdir()
        run = runs / (session_id or made.name)
        run.mkdir(exist_ok=True)
        for file in made.iterdir():
            if create_perfetto_trace and file.name.endswith(".trace.json.gz"):
                shutil.copyfile(file, run / "perfetto_trace.json.gz")
            file.replace(run / file.name)


def _folder(function: str, value: object) -> str:
    if not isinstance(value, (str, PathLike)):
        raise refused(function, "log_dir", "a path", value)
    return str(fspath(value))


def _no_link(function: str, asked: object) -> None:
    flags(function, create_perfetto_link=asked)
    if asked:
        raise UnsupportedError(
            f"{function}: treadle serves no trace to https://ui.perfetto.dev",
            fix="give `create_perfetto_trace=True`, and open perfetto_trace.json.gz there",
        )

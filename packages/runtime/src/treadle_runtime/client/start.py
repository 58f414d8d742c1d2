"""The backends of this process, each started when it is first used.

Synchronous or asynchronous CPU client, median latency of call and wait, us (two products of n x n, 0.10.2 | 0.12.0):

    n                 4          16          32          64          128         256
    asynchronous      5.1 | 5.4  29 | 5.2    20 | 29     20 | 20     68 | 66     288 | 247
    synchronous       4.9 | 5.1  5.0 | 4.5   5.5 | 5.3   11 | 10     45 | 44     254 | 242
    dispatch, async   4.5 | 5.1  3.5 | 3.4   3.4 | 4.6   3.6 | 3.6   3.7 | 3.9   5.8 | 6.0

The hand-over to a thread costs some 10 to 25 us, so a synchronous client is the better one up to about 1e7
floating-point operations a call *if the caller waits for the result at once*; a caller who goes on to other work gets
it back after 4 us from an asynchronous one at any size. Buffers belong to one client: a program of the other refuses
them ("is on device cpu:0, but replica is assigned to device cpu:0"), and moving one over by `adopt` costs about
3 us. Hence one client for a process: asynchronous by default, `TREADLE_CPU_ASYNC=0` for
processes that make many small calls and read each result.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, final

from treadle_compiler import check_fork, jaxlib, never_destroyed, refuse_in_children
from treadle_ir import ArgumentError
from treadle_ir.errors import capture, refused
from treadle_ir.events import say
from treadle_ir.process import fork_safe_rlock
from treadle_ir.settings import environment_variables
from treadle_runtime.client.backend import Backend
from treadle_runtime.client.environment import (
    cpu_asynchronous,
    cpu_device_count,
    nvidia_gpu_present,
    requested_platforms,
    words,
)
from treadle_runtime.client.failures import PlatformError, PlatformWarning, execution_error
from treadle_runtime.client.peers import Peers, met

if TYPE_CHECKING:
    from pathlib import Path

_KNOWN: Final = frozenset({"cpu", "cuda", "tpu"})


def _again(known: PlatformError) -> PlatformError:
    """Return the error of a start that failed before, as one of the place that asks now."""
    error = PlatformError(str(known))
    for note in getattr(known, "__notes__", ()):
        if not note.startswith("  at "):
            error.add_note(note)
    return error


@final
class Backends:
    """The backends of this process, each started when it is first used.

    A backend lives as long as the process: buffers and executables keep it alive. Threads may ask at once.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._lock = fork_safe_rlock()
        self._started: dict[str, Backend] = {}
        self._failed: dict[str, PlatformError] = {}
        self._default: Backend | None = None
        self._platforms: tuple[str, ...] | None = None
        self._cpu_devices: int | None = None
        self._cpu_asynchronous: bool | None = None
        self._forked_default: Backend | None = None
        self._started_at = ""
        refuse_in_children(self)

    def refuse(self) -> None:
        """Raise `ForkError` from now on: called in a forked child."""
        self._forked_default = self._forked_default or self._default
        self._default = None  # so that `default` takes the slow path, which refuses

    def configure(
        self,
        *,
        platforms: str | Sequence[str] | None = None,
        num_cpu_devices: int | None = None,
        cpu_asynchronous: bool | None = None,
    ) -> None:
        """Set what the environment variables could set; it must be called before the first use.

        Raises:
            PlatformError: a backend has been started already.
            ArgumentError: `num_cpu_devices` is not positive.
        """
        if num_cpu_devices is not None and num_cpu_devices < 1:
            raise ArgumentError(
                f"num_cpu_devices must be a positive number, got {num_cpu_devices}",
                fix="set it to 1 or more",
            )
        with self._lock:
            if self._started:
                raise PlatformError(
                    f"platforms cannot be configured any more: {', '.join(self._started)} has been started",
                    fix="configure before the first array or compiled call, or use TREADLE_PLATFORMS",
                )
            if platforms is not None:
                names = words(platforms) if isinstance(platforms, str) else tuple(platforms)
                self._platforms = names or None
            if num_cpu_devices is not None:
                self._cpu_devices = num_cpu_devices
            if cpu_asynchronous is not None:
                self._cpu_asynchronous = cpu_asynchronous
            self._failed.clear()

    @property
    def started(self) -> tuple[str, ...]:
        """The platforms that are running."""
        return tuple(self._started)

    @property
    def peers(self) -> Peers | None:
        """The other processes of the program, if there are any."""
        return met[0] if met else None

    def check_not_started(self, function: str) -> None:
        """Refuse what has to come before the first use of a device.

        Raises:
            PlatformError: a backend has been started already.
        """
        if self._started:
            raise PlatformError(
                f"{function}: the platform {', '.join(self._started)} has been started already, "
                f"{self._started_at or 'by a call outside of your files'}",
                fix=f"call {function} before anything that needs a device",
            )

    def meet(self, peers: Peers) -> None:
        """Connect backends that are started from now on to the backends of other processes.

        Raises:
            PlatformError: a backend has been started already.
        """
        with self._lock:
            self.check_not_started("initialize")
            met[:] = [peers]
            self._failed.clear()

    def part(self, peers: Peers) -> None:
        """Disconnect from the other processes; backends that have been started stay as they are."""
        with self._lock:
            if self.peers is peers:
                met.clear()

    def default(self) -> Backend:
        """Return the backend that work goes to unless something says otherwise.

        Raises:
            PlatformError: none of the wanted platforms can be started.
            ForkError: in a forked child.
        """
        backend = self._default
        if backend is None:
            check_fork()
            with self._lock:
                backend = self._default
                if backend is None:
                    backend = self._first()
                    self._default = backend
        return backend

    def named_default(self) -> Backend:
        """Return the default backend, also in a forked child, where only its name and its devices' are of use.

        Raises:
            PlatformError: none of the wanted platforms can be started.
            ForkError: in a forked child whose parent had not started it.
        """
        return self._forked_default or self.default()

    def get(self, platform: str | None = None) -> Backend:
        """Return the backend of a platform: `cpu`, `gpu` (any), `cuda`, `rocm`, `tpu`.

        Raises:
            PlatformError: it cannot be started, or TREADLE_PLATFORMS leaves it out.
            ForkError: in a forked child.
        """
        if platform is None:
            return self.default()
        if not isinstance(platform, str):
            raise refused("devices", "platform", "the name of one, as 'cpu'", platform)
        check_fork()
        wanted = _canonical(platform)
        with self._lock:
            names, only = self._wanted()
            chosen = {_canonical(name) for name in names}
            # Unknown platforms are reported below.
            if only and wanted in _KNOWN and wanted not in chosen:
                raise PlatformError(
                    f"Unknown backend: platform `{platform}` is not among the chosen platforms ({', '.join(names)})",
                    fix=f"add `{platform}` to {' or '.join(environment_variables('platforms'))}",
                )
            return self._start(wanted)

    def _wanted(self) -> tuple[tuple[str, ...], bool]:
        if self._platforms is not None:
            return self._platforms, True
        return requested_platforms(self._environ)

    def _first(self) -> Backend:
        names, only = self._wanted()
        if not only:
            if names:
                return self._start(_canonical(names[0]))
            found = [name for name in ("cuda", "tpu") if self._plugin(name) is not None]
            names = (*found, "cpu")
            if "cuda" not in found:
                self._tell_of_unused_gpu()
        reasons: list[PlatformError] = []
        for name in names:
            try:
                backend = self._start(_canonical(name))
            except PlatformError as error:
                reasons.append(error)
                continue
            if reasons and not only:  # no list was given, so users do not expect a fallback
                warnings.warn(
                    f"{reasons[0]}; using `{name}`\n  fix: set TREADLE_PLATFORMS={name} to say that this is meant",
                    PlatformWarning,
                    stacklevel=2,
                )
            return backend
        if len(reasons) == 1:
            raise reasons[0]
        raise PlatformError(
            f"none of the platforms {', '.join(f'`{name}`' for name in names)} can be started: "
            + "; ".join(str(reason) for reason in reasons),
            fix="add `cpu` to the end of TREADLE_PLATFORMS",
        )

    def _start(self, platform: str) -> Backend:
        backend = self._started.get(platform)
        if backend is not None:
            return backend
        if platform in self._failed:
            raise _again(self._failed[platform])
        place = capture().show()
        try:
            backend = self._make(platform)
        except PlatformError as error:
            self._failed[platform] = error
            raise
        self._started_at = self._started_at or place
        self._started[platform] = backend
        return backend

    def _make(self, platform: str) -> Backend:
        makers: dict[str, Callable[[], Backend]] = {
            "cpu": self._make_cpu,
            "cuda": self._make_cuda,
            "tpu": self._make_tpu,
        }
        maker = makers.get(platform)
        if maker is None:
            raise PlatformError(
                f"Unknown backend: platform `{platform}` is not known",
                fix="use `cpu`, `cuda`, `gpu` or `tpu`",
            )
        return maker()

    def _make_cpu(self) -> Backend:
        count = self._cpu_devices or cpu_device_count(self._environ)
        asynchronous = self._cpu_asynchronous
        if asynchronous is None:
            asynchronous = cpu_asynchronous(self._environ)
        together: dict[str, object] = {}
        peers = self.peers
        if peers is not None:
            together = {
                "distributed_client": peers.client,
                "node_id": peers.process,
                "num_nodes": peers.count,
                "collectives": peers.cpu_collectives(),
            }
        make = jaxlib().xla_client.make_cpu_client
        try:
            raw = make(asynchronous=asynchronous, num_devices=count, **together)
        except jaxlib().core.JaxRuntimeError as error:
            raise execution_error(error) from error
        if peers is not None:
            never_destroyed(raw)  # it would wait for collectives whose peers are gone
        return Backend(raw, "cpu", asynchronous=asynchronous)

    def _make_cuda(self) -> Backend:
        library = self._plugin("cuda")
        if library is None:
            from treadle_runtime.client.plugins import install_command  # noqa: PLC0415 - as below

            raise PlatformError(
                "Unknown backend: platform `cuda` cannot be started: its plugin is not installed",
                fix=f"{install_command()} (or jax-cuda12-plugin, for older drivers)",
            )
        return self._accelerator("cuda", library)

    def _make_tpu(self) -> Backend:
        library = self._plugin("tpu")
        if library is None:
            raise PlatformError(
                "Unknown backend: platform `tpu` cannot be started: libtpu is not installed",
                fix="python -m pip install libtpu (on a machine with a TPU), or set TPU_LIBRARY_PATH",
            )
        return self._accelerator("tpu", library)

    # What looks for plugins is imported here: `import treadle` starts nothing.

    def _plugin(self, platform: str) -> Path | None:
        from treadle_runtime.client.plugins import plugin_library  # noqa: PLC0415

        return plugin_library(platform, self._environ)

    def _tell_of_unused_gpu(self) -> None:
        """Log that there is a GPU without a plugin, when the CPU is chosen: once, since the default is chosen once."""
        if nvidia_gpu_present():
            from treadle_runtime.client.plugins import install_command  # noqa: PLC0415

            say(
                "there is an NVIDIA GPU, and jaxlib has no plugin for it: programs run on another platform\n"
                f"  fix: {install_command()}, or set TREADLE_PLATFORMS=cpu to say that this is meant",
                loudly=True,
            )

    def _accelerator(self, platform: str, library: Path) -> Backend:
        from treadle_runtime.client.plugins import start_plugin  # noqa: PLC0415

        return Backend(start_plugin(platform, library, self.peers), platform)


backends: Final = Backends()
"""The backends of this process. XLA's clients are process-wide by nature, so this is as well."""


def _canonical(platform: str) -> str:
    name = platform.strip().lower()
    return "cuda" if name == "gpu" else name  # the only kind of GPU that has a plugin here

"""jaxlib itself: imported when it is first needed, so that `import treadle` stays light."""

from __future__ import annotations

import functools
import gc
import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, final

from treadle_compiler.ending import Held, HeldModule, hold_at_end, note_threads
from treadle_compiler.fork import Refusal, check_fork, mark_started, refuse_in_children
from treadle_ir.process import fork_safe_rlock, importing, release_of, wrong_release

T = TypeVar("T")


@final
@dataclass(slots=True, weakref_slot=True, eq=False)
class Jaxlib(Held):
    """The two modules of jaxlib that everything goes through, and its release.

    They are `Any` because jaxlib ships no types for them.
    """

    xla_client: Any
    core: Any
    release: str

    def refuse(self) -> None:
        """Raise `ForkError` from now on, whatever is asked of jaxlib: called in a forked child."""
        # What is caught keeps its class: else the `except` clause would raise a second error.
        self.core = Refusal(JaxRuntimeError=self.core.JaxRuntimeError)
        self.xla_client = Refusal()
        # a lock of jaxlib's may have been held by a thread that is gone
        if self.collect in gc.callbacks:
            gc.callbacks.remove(self.collect)

    def hold(self) -> None:
        """Let only the thread use jaxlib that ends the process."""
        self.core, self.xla_client = HeldModule(self.core), HeldModule(self.xla_client)

    def collect(self, phase: str, _: object) -> None:
        """Free the Python objects that jaxlib no longer needs: it stores the objects of its own threads until then."""
        if phase == "stop":
            self.core.collect_garbage()


def made_once(make: Callable[[], T]) -> Callable[[], T]:
    """A function whose value is made by the first call, also where several threads make that at once."""
    lock, made = fork_safe_rlock(), list[T]()

    @functools.wraps(make)
    def value() -> T:
        if not made:
            with lock:
                if not made:
                    made.append(make())
        return made[0]

    return value


def start_quietly() -> None:
    """Turn jaxlib's start-up chatter off, before its first import, unless the user has asked for it."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")


_LEAST: Final = (0, 10, 2)
_BELOW: Final = (0, 13, 0)
WANTED: Final = ">=0.10.2,<0.13"
"""The releases that treadle works with, as pip has them; `pyproject.toml` says the same."""


def supported_release() -> str:
    """The release of the jaxlib that is installed.

    Raises:
        ImportError: treadle does not work with it, or there is none.
    """
    try:
        release = str(importlib.import_module("jaxlib").__version__)
    except ModuleNotFoundError as error:
        error.add_note(f'  fix: python -m pip install "jaxlib{WANTED}"')
        raise
    if not _LEAST <= release_of(release) < _BELOW:
        raise wrong_release("jaxlib", release, WANTED)
    return release


@made_once
def adds_constants() -> bool:
    """Return whether XLA of the installed jaxlib takes `(x + C) - C` for x: before 0.12 it adds the constants up.

    Raises:
        ImportError: jaxlib is missing, or treadle does not work with its release.
    """
    return release_of(supported_release()) < (0, 12)


@made_once
def jaxlib() -> Jaxlib:
    """Import jaxlib, once, with its start-up chatter off unless the user has asked for it.

    Raises:
        ForkError: in a process forked after this has been called; if it had ended, what it returns refuses.
    """
    start_quietly()
    check_fork()
    note_threads()
    mark_started()  # so that no child that is forked meanwhile waits for the end of the import, which will not come
    found = importing(_import_jaxlib, forks_wait=False)
    gc.callbacks.append(found.collect)
    refuse_in_children(found)
    hold_at_end(found)
    return found


def _import_jaxlib() -> Jaxlib:
    release = supported_release()
    xla_client = importlib.import_module("jaxlib.xla_client")
    return Jaxlib(xla_client, importlib.import_module("jaxlib._jax"), release)


@made_once
def register_lapack() -> None:
    """Let programs on the CPU call LAPACK, once: jaxlib's custom calls, which are scipy's LAPACK and import scipy.

    Raises:
        ForkError: in a process forked after jaxlib was imported.
    """
    client = jaxlib().xla_client

    def register() -> None:
        lapack = importlib.import_module("jaxlib.lapack")
        for name, function, version in lapack.registrations()["cpu"]:
            client.register_custom_call_target(name, function, platform="cpu", api_version=version)
        for name in lapack.batch_partitionable_targets():
            client.register_custom_call_as_batch_partitionable(name)
        lapack._lapack.initialize()

    importing(register, forks_wait=False)


@made_once
def register_hybrid() -> None:
    """Let programs on a GPU call LAPACK on the host, once; its plugin has been loaded, and told XLA of the calls."""
    importing(
        lambda: importlib.import_module("jaxlib.gpu_solver").initialize_hybrid_kernels(),
        forks_wait=False,
    )

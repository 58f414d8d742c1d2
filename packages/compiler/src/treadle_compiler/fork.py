"""A forked child refuses XLA at once.

XLA's threads are in the parent only, and what waits for one of them in a child waits for ever. So after any use of XLA,
everything in a child that leads to it raises `ForkError`, and no call in the parent pays for that: nothing on its way
asks which process it is in. Instead, the objects on the way are changed in the child, before `os.fork()` returns there:

* jaxlib's modules (`Jaxlib`), clients (`Backend.raw`) and executables (`LoadedExecutable.raw`) become a `Refusal`;
* `LoadedExecutable.execute_sharded` and the methods of `Backend`, which read and wait for buffers, become `refuse`.

Code that makes such an object registers it with `refuse_in_children`. Code that calls one **looks its method up for
each call**, as in `executable.execute_sharded(buffers)`: a bound method from before the fork would still reach XLA.

What is exchanged is never destroyed in a child, since its destructor might wait for a thread, too.

Arrays whose elements are on a device are refused with all else. Arrays on the CPU could often be read, but a buffer has
locks and events of XLA's, and whether one of them would be waited for is a matter of luck. Arrays whose elements the
host has, eager work on them, staging and differentiation need no XLA, and work in a child as in the parent.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Final, NoReturn, Protocol, final

from treadle_ir import TreadleError


class ForkError(TreadleError, RuntimeError):
    """XLA was used in a process that was forked after XLA had been started."""


def fork_error() -> ForkError:
    """The error for any use of XLA in a forked child."""
    return ForkError(
        "this process was forked from a process that had already started XLA, whose threads do not exist here",
        fix='start workers with multiprocessing.get_context("spawn") (or "forkserver"), or fork before '
        "the first array or compiled call",
    )


def refuse(*_: object, **__: object) -> NoReturn:
    """Stands in a child where a function was that leads to XLA."""
    raise fork_error()


@final
class Refusal:
    """Stands in a child where an object of jaxlib was; only the attributes that it is given work."""

    def __init__(self, **kept: object) -> None:
        self.__dict__.update(kept)

    def __getattr__(self, name: str) -> NoReturn:
        raise fork_error()


class Refusing(Protocol):
    """An object that leads to XLA."""

    def refuse(self) -> None:
        """Change so that every use raises `ForkError`; called in a forked child."""


@final
class _Process:
    """What this process is to XLA."""

    __slots__ = ("forked", "started")

    def __init__(self) -> None:
        self.started = False  # XLA has threads here, or will have
        self.forked = False  # it had threads in the parent


_process: Final = _Process()
_refusing: Final[weakref.WeakSet[Refusing]] = weakref.WeakSet()


def mark_started() -> None:
    """Say that XLA is in use from now on: called before jaxlib is imported, which is done to use it at once."""
    _process.started = True


def refuse_in_children(item: Refusing) -> None:
    """Have `item.refuse()` called in children forked from now on. Done for what leads to XLA, when it is made."""
    _refusing.add(item)


def check_fork() -> None:
    """Refuse before work that only would end in XLA.

    Raises:
        ForkError: in a child that was forked after XLA had been started.
    """
    if _process.forked:
        raise fork_error()


def is_forked() -> bool:
    """Return whether this process was forked from a process that had started XLA."""
    return _process.forked


def never_destroyed(item: object) -> None:
    """Keep an object of jaxlib until the process ends, and then as well."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(item))


def _in_child() -> None:
    if not _process.started:
        return
    _process.forked = True
    for item in [*_refusing]:
        item.refuse()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_in_child)

"""Events: the steps between a call and its result, of which listeners are notified.

A function is staged, a program is lowered, compiled or found on disk, memory is donated, elements are transferred,
Python is called back. Each is an immutable value, emitted where it happens, in the thread in which it happens. Logs,
profiles and explanations are made of these; nothing in treadle depends on them. Without listeners, an event costs
one look at an empty list: `if listeners: emit(...)`. Events of first calls are also logged (`logs.py`), which
is asked for by settings: `if heard(): tell(...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from treadle_ir.events.logs import log, logs_compiles
from treadle_ir.process.fork import fork_safe_lock
from treadle_ir.process.frozen_classes import frozen

if TYPE_CHECKING:
    from treadle_ir.core.program import Program
    from treadle_ir.core.types import Type
    from treadle_ir.errors.source import Source


class Event:
    """Something that happened."""

    __slots__ = ()

    def message(self) -> str:
        """Return the log message of the event, or an empty string if the event is not logged."""
        return ""


@final
@frozen
class ProgramMade(Event):
    """A program: staged, derived from another one, rewritten or parsed."""

    program: Program


@final
@frozen
class StagingBegan(Event):
    """The Python of a jitted function is about to run once, on tracers.

    `FunctionStaged` or `StagingFailed` follows, in the same thread; events of nested functions come in between.
    """

    name: str
    function: Callable[..., Any]  # the user's. Any: its arguments and results


@final
@frozen
class StagingFailed(Event):
    """The Python of a jitted function raised an exception while it ran on tracers."""

    name: str
    function: Callable[..., Any]  # the user's. Any: its arguments and results


@final
@frozen
class TracerLeaked(Event):
    """A traced array is still referred to when its transformation has ended; `check_tracer_leaks` is not set."""

    type: Type
    source: Source  # of the operation that made it
    held: str  # what refers to it
    count: int  # of the transformation's arrays that are still referred to


@final
@frozen
class FunctionStaged(Event):
    """The Python of a jitted function ran once, on tracers, and gave a program."""

    name: str
    program: Program
    seconds: float
    function: Callable[..., Any]  # the user's. Any: its arguments and results

    def message(self) -> str:
        """With the number of equations."""
        return f"Finished tracing {self.name} in {self.seconds:.4f} s: {len(self.program.equations)} equations"


@final
@frozen
class ProgramLowered(Event):
    """A program was lowered for a platform."""

    name: str
    platform: str
    bytes: int  # of text
    seconds: float

    def message(self) -> str:
        """With the length of the text."""
        return f"Finished lowering {self.name} for {self.platform} in {self.seconds:.4f} s: {self.bytes} bytes"


@final
@frozen
class ProgramCompiled(Event):
    """The compiler made an executable of a program."""

    name: str
    platform: str
    seconds: float

    def message(self) -> str:
        """With the time."""
        return (
            f"Finished XLA compilation of {self.name} for {self.platform} in {self.seconds:.4f} s"
        )


@final
@frozen
class ExecutableFound(Event):
    """The executable of a program was there already: in this process, or on disk."""

    name: str
    platform: str
    on_disk: bool
    seconds: float

    def message(self) -> str:
        """With where it was found."""
        where = "on disk" if self.on_disk else "in this process"
        return f"Found the executable of {self.name} for {self.platform} {where} in {self.seconds:.4f} s"


@final
@frozen
class KeyReused(Event):
    """A random key was used a second time; `debug_key_reuse` is not set."""

    source: Source  # of the second use
    before: Source  # of the first use


@final
@frozen
class MemoryDonated(Event):
    """An array gave its memory to the results of a call."""

    name: str
    type: Type


@final
@frozen
class ElementsTransferred(Event):
    """The elements of an array went from one place to another; the host is called `host`."""

    type: Type
    source: str
    target: str


@final
@frozen
class CallbackRun(Event):
    """A compiled program called a Python function."""

    name: str
    seconds: float


Listener: TypeAlias = Callable[[Event], object]

listeners: Final[list[Listener]] = []  # of the process, in the order in which they came
_lock: Final = fork_safe_lock()  # guards changes: threads add and remove listeners concurrently


def heard() -> bool:
    """Return whether a listener or the log would receive an event of a first call (staged, lowered, compiled)."""
    return bool(listeners) or logs_compiles()


def tell(event: Event) -> None:
    """Tell all listeners, and the log if it is wanted."""
    if listeners:
        emit(event)
    if logs_compiles():
        log(event)


def emit(event: Event) -> None:
    """Tell all listeners. What a listener raises comes out where the event happened."""
    for listener in [*listeners]:
        listener(event)


@final
class listening:  # noqa: N801 - reads as a statement
    """`with listening(events.append):` hears of everything that happens meanwhile, in all threads.

    Example:
        >>> from treadle_ir import ArrayType, stage
        >>> import numpy as np
        >>> heard = []
        >>> with listening(heard.append):
        ...     staged = stage(lambda x: [x], ArrayType((), np.dtype("f4")))
        >>> [type(event).__name__ for event in heard]
        ['ProgramMade']
    """

    __slots__ = ("_listener",)

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def __enter__(self) -> None:
        with _lock:
            listeners.append(self._listener)

    def __exit__(self, *error: object) -> None:
        with _lock:
            # By identity: the methods of two equal lists are equal.
            last = max(i for i, each in enumerate(listeners) if each is self._listener)
            del listeners[last]

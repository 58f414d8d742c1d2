"""Events: what happens between a call and its result, told to whoever listens.

A function is staged, a program is lowered, compiled or found on disk, memory is donated, elements are transferred,
Python is called back. Each is an immutable value, emitted where it happens, in the thread in which it happens. Logs,
profiles and explanations are made of these; nothing in treadle depends on them. When nobody listens, an event costs
one look at an empty list: `if listeners: emit(...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias, final

from treadle_ir.frozen import frozen

if TYPE_CHECKING:
    from treadle_ir.program import Program
    from treadle_ir.types import Type


class Event:
    """Something that happened."""

    __slots__ = ()


@final
@frozen
class ProgramMade(Event):
    """A program: staged, derived from another one, rewritten or parsed."""

    program: Program


@final
@frozen
class FunctionStaged(Event):
    """The Python of a jitted function ran once, on tracers, and gave a program."""

    name: str
    program: Program
    seconds: float


@final
@frozen
class ProgramLowered(Event):
    """A program was lowered for a platform."""

    name: str
    platform: str
    bytes: int  # of text
    seconds: float


@final
@frozen
class ProgramCompiled(Event):
    """The compiler made an executable of a program."""

    name: str
    platform: str
    seconds: float


@final
@frozen
class ExecutableFound(Event):
    """The executable of a program was there already: in this process, or on disk."""

    name: str
    platform: str
    on_disk: bool
    seconds: float


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
        listeners.append(self._listener)

    def __exit__(self, *error: object) -> None:
        # By identity: the methods of two equal lists are equal.
        last = max(i for i, each in enumerate(listeners) if each is self._listener)
        del listeners[last]

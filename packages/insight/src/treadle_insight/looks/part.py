"""A part of `watch`: what looks for the findings of one topic while a program runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from treadle_insight.finding import Finding
from treadle_ir.events import Event
from treadle_runtime import ObservedFunction


class Part:
    """What looks for the findings of one topic while a program runs.

    `watch` calls `enter` first and `leave` last; events and calls reach a part from all threads in between, so a part
    guards what it changes. `findings` may be asked for at any time, more than once.
    """

    events: tuple[type[Event], ...] = ()
    """The classes of the events that `hear` wants; all events if it is empty."""
    observes_calls = False
    """Whether `called` and `returned` are wanted, which costs each call some microseconds."""

    def enter(self) -> None:
        """Begin to look."""

    def leave(self) -> None:
        """Stop looking, and leave everything as it was."""

    def hear(self, event: Event) -> None:
        """Hear of an event.

        Args:
            event: what happened, in the thread in which it happened.
        """

    def called(
        self, function: ObservedFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Hear of a call of a jitted function that begins. Any: arguments of users.

        Args:
            function: the jitted function.
            args: its positional arguments.
            kwargs: its keyword arguments.
        """

    def returned(self, function: ObservedFunction, result: Any) -> None:
        """Hear of a call that has returned; its results may still be computed.

        Args:
            function: the jitted function.
            result: its result. Any: a pytree.
        """

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        return ()

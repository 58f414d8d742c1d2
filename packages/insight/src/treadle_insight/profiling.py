"""Profile hooks that get on with each other: a hook calls the previous hook, which is restored afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeAlias, final

Hook: TypeAlias = Callable[[FrameType, str, Any], object]  # Any: what the event is about


@final
class Installed:
    """A hook that is installed in a thread."""

    __slots__ = ("before", "function")

    def __init__(self, function: Hook, before: Hook | None) -> None:
        self.function = function
        self.before = before


def installed(hook: Hook) -> Installed | None:
    """Install a profile hook in the running thread, in front of the previous hook.

    Args:
        hook: the hook.

    Returns:
        What `removed` takes; None if a profiler written in C is active, which leaves no room for a hook.
    """
    before: Any = sys.getprofile()
    if before is None:
        sys.setprofile(hook)
        return Installed(hook, None)
    if not callable(before):
        return None

    def both(frame: FrameType, event: str, argument: Any) -> None:
        before(frame, event, argument)
        hook(frame, event, argument)

    sys.setprofile(both)
    return Installed(both, before)


def removed(hook: Installed) -> None:
    """Remove a hook from the running thread, unless the program has installed another one meanwhile.

    Args:
        hook: what `installed` returned.
    """
    if sys.getprofile() is hook.function:
        sys.setprofile(hook.before)

"""Fast calls: functions that run a jitted call if it is like the one they were made for, and else say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, final


@final
class Miss:
    """What a fast call returns when the call is not one that it was made for."""


MISS: Final = Miss()
# Any: whatever the user's function takes and returns
FastCall: TypeAlias = Callable[[tuple[Any, ...], dict[str, Any]], Any]


def no_fast_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Miss:
    """The fast call of a function that has not been called."""
    return MISS

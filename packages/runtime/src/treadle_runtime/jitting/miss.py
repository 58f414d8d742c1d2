"""Fast calls: generated functions that run a jitted call with a known call shape, and otherwise return `MISS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, final


@final
class Miss:
    """The class of the result of a fast call whose call shape differs."""


MISS: Final = Miss()
# Any: whatever the user's function takes and returns
FastCall: TypeAlias = Callable[[tuple[Any, ...], dict[str, Any]], Any]


def no_fast_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Miss:
    """Return `MISS`: the fast call of a function that has not been called."""
    return MISS

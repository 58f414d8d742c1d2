"""A table of laws, from names to functions that raise where the law does not hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Check: TypeAlias = Callable[[], None]


def table(first: Callable[[], object]) -> tuple[dict[str, Check], Callable[[Check], Check]]:
    """An empty table, and a decorator that puts a check into it; `first` is called before each check."""
    laws: dict[str, Check] = {}

    def law(check: Check) -> Check:
        def checked() -> None:
            first()
            check()

        laws[check.__name__] = checked
        return check

    return laws, law

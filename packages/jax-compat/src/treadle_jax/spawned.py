"""Processes that multiprocessing starts again get the hook before they import the main module.

Such a process first unpickles how it is to be prepared. One value of that is replaced by a string whose unpickling
puts the hook in.
"""

from __future__ import annotations

import multiprocessing.spawn
from typing import Any, Final, final

_original: Final = multiprocessing.spawn.get_preparation_data


@final
class _Hooked(str):
    """A string that puts the hook in where it is unpickled."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (str(self),)


def _unpickled(text: str) -> str:
    from treadle_jax.hook import install  # noqa: PLC0415 - hook imports this module

    install()
    return text


def _get_preparation_data(name: str) -> dict[str, Any]:
    data = _original(name)
    data["name"] = _Hooked(data["name"])
    return data


def start() -> None:
    """From now on, new processes get the hook."""
    multiprocessing.spawn.get_preparation_data = _get_preparation_data


def stop() -> None:
    """New processes are as they were."""
    if multiprocessing.spawn.get_preparation_data is _get_preparation_data:
        multiprocessing.spawn.get_preparation_data = _original

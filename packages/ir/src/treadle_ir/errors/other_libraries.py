"""Another array library in the same process, whose values meet treadle's: conversions, and errors that say what to do.

What is known about it is installed by `treadle_ir.tracing.install`; here is what the packages below ask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from treadle_ir.errors.kinds import ArgumentError


class OtherLibrary(Protocol):
    """Port: a library whose values users mix with treadle's."""

    @property
    def conversion(self) -> str:
        """The method that classes define so that the library takes their objects as arrays."""
        ...

    def displayed_name(self) -> str | None:
        """Return the library's name if treadle is used under it, which error messages then show."""
        ...

    def refusal(self, x: object, asked: bool) -> ArgumentError | None:
        """Return the error for a value of the library where treadle needs an array; None for other values.

        `asked` says that the user has asked for a conversion, so that arrays with elements are converted.
        """
        ...

    def explain(self, error: Exception) -> None:
        """Add what to do to an error by which the library refuses an array that treadle traces."""
        ...


_installed: Final[list[OtherLibrary]] = []  # at most one


def install_library(library: OtherLibrary) -> None:
    """Make this the other library of the process."""
    _installed[:] = [library]


def library() -> str:
    """Return the name under which users know treadle."""
    return next((name for each in _installed if (name := each.displayed_name())), "treadle")


def conversions() -> list[str]:
    """Return the names of methods by which objects of other classes convert to arrays."""
    return ["__treadle_array__", *[each.conversion for each in _installed]]


def conversion_of(x: object) -> Callable[[object], Any] | None:
    """Return the function that makes an object an array, if its class has one."""
    found = [getattr(type(x), name, None) for name in conversions()]
    return next((each for each in found if callable(each)), None)


def is_convertible(kind: type) -> bool:
    """Return whether a class says how its objects are made arrays."""
    return any([hasattr(kind, name) for name in conversions()])


def refusal(x: object, *, asked: bool = False) -> ArgumentError | None:
    """Return the error for a value of the other library; None for other values (`OtherLibrary.refusal`)."""
    errors = [each.refusal(x, asked) for each in _installed]
    return next((each for each in errors if each is not None), None)


def explain(error: Exception) -> None:
    """Add what to do to an error by which the other library refuses an array that treadle traces."""
    for each in _installed:
        each.explain(error)

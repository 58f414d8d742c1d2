"""Values of users' own that functions depend on when they are traced, besides their arguments."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Final, final

from treadle_ir.errors import boundaries
from treadle_ir.settings import Setting, process_context

__all__ = ["make_user_context"]

_UNSET: Final = object()  # what the default stands for: a value that equals it is another value


def _hashable(value: object) -> object:
    try:
        hash(value)
    except TypeError:
        raise ValueError("cannot be hashed, as the keys of caches must be") from None
    return value


@final
class UserContext:
    """A value that functions may read when they are traced: a jitted function is traced again for each.

    `with context(value):` has another value for a while, in this thread or task; `set_global` sets the process's.
    """

    __slots__ = ("_default", "_setting")

    def __init__(self, default: object) -> None:
        self._default: Final = default
        self._setting: Final[Setting[Any]] = Setting(  # Any: of users
            "user_context", _UNSET, parse=_hashable, help="A value of the user's own.", listed=False
        )

    def _said(self, value: Any) -> Any:
        return self._default if value is _UNSET else value

    @property
    def value(self) -> Any:  # Any: whatever was set
        """The value in force here."""
        return self._said(self._setting())

    def __call__(self, new_value: object) -> AbstractContextManager[None]:
        """Return a context manager in which the value is `new_value`.

        Raises:
            ArgumentError: the value cannot be hashed.
        """
        return self._setting.override(new_value)

    def get_global(self) -> Any:  # Any: whatever was set
        """Return the process's value."""
        return self._said(process_context[0].get(self._setting))

    def set_global(self, new_value: object) -> None:
        """Set the process's value.

        Raises:
            ArgumentError: the value cannot be hashed.
        """
        self._setting.set(new_value)


def make_user_context(default_value: object = None) -> UserContext:
    """Return a value of your own that functions may read when they are traced, and on which their caches depend.

    Example:
        >>> import treadle
        >>> factor = treadle.make_user_context(1.0)
        >>> scale = treadle.jit(lambda x: factor.value * x)
        >>> print(scale(3.0))
        3.0
        >>> with factor(2.0):
        ...     print(scale(3.0))
        6.0
    """
    return UserContext(default_value)


boundaries(__name__)

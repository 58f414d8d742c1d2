"""Deprecated names: a warning at the user's line, and the release that removes them (docs/versions.md has the policy).

`scripts/deprecations.py` reads the arguments from the source, and fails once a distribution's version reaches `until`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from treadle_ir.errors.source import user_stacklevel
from treadle_ir.errors.wrapping import wraps

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def deprecated(
    *, since: str, until: str, instead: str
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Mark a function as deprecated: each call warns at the user's line, and does what it did.

    Python's default filter shows a warning once for each line. Type checkers and editors read `__deprecated__`
    (PEP 702), which the returned function has.

    Args:
        since: the first release in which the function is deprecated, such as `"0.2"`.
        until: the release that removes it, such as `"0.4"`.
        instead: what to use, as an imperative: ``"use `tnp.sum`"``.

    Example:
        >>> import warnings
        >>> @deprecated(since="0.2", until="0.4", instead="use `new`")
        ... def old(x):
        ...     return x + 1
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("default")
        ...     print(old(1))
        2
        >>> print(caught[0].message)
        `old` is deprecated since 0.2 and will be removed in 0.4: use `new`
    """

    def mark(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        what = f"`{getattr(function, '__name__', function)}`"

        def wrapper(*arguments: Arguments.args, **keywords: Arguments.kwargs) -> Result:
            warn_deprecated(what, since=since, until=until, instead=instead)
            return function(*arguments, **keywords)

        wraps(function)(wrapper)
        wrapper.__deprecated__ = _message(what, since, until, instead)  # type: ignore[attr-defined]
        return wrapper

    return mark


def warn_deprecated(what: str, *, since: str, until: str, instead: str) -> None:
    """Warn that `what` is deprecated, at the user's line: for arguments and values, which have no decorator.

    Args:
        what: the subject of the sentence, in the singular: ``"the argument `device` of jit"``.
        since, until, instead: as in `deprecated`.
    """
    message = _message(what, since, until, instead)
    warnings.warn(message, DeprecationWarning, stacklevel=user_stacklevel())


def _message(what: str, since: str, until: str, instead: str) -> str:
    return f"{what} is deprecated since {since} and will be removed in {until}: {instead}"

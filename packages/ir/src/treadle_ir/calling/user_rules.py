"""Calls of the functions that users give as rules and solvers, with an error for a wrong number of parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from treadle_ir.errors.kinds import ArgumentError, TreadleError
from treadle_ir.errors.source import short_name

Tree: TypeAlias = Any  # a pytree: any Python object


def ruled(rule: str, takes: str, function: Callable[..., Tree], *arguments: Tree) -> Tree:
    """Call a user's function, whose parameters are checked only if the call raises a TypeError.

    Args:
        rule: a description of the function, for messages.
        takes: the names of the arguments that it is called with.
        function: the function.
        arguments: its arguments.

    Raises:
        ArgumentError: the function does not take these arguments.

    Example:
        >>> ruled("the rule of `f`", "x, y", lambda x, y: x - y, 3, 2)
        1
    """
    try:
        return function(*arguments)
    except TypeError as error:
        if isinstance(error, TreadleError):
            raise
        refusal = _refusal(rule, takes, function, arguments)
        if refusal is None:
            raise  # from within the function
    raise refusal


def as_rule(
    rule: str, takes: str, function: Callable[..., Tree], *arguments: Tree
) -> Callable[..., Tree]:
    """Return a function of the remaining arguments that calls a user's function by `ruled`."""
    return functools.partial(ruled, rule, takes, function, *arguments)


def _refusal(
    rule: str, takes: str, function: Callable[..., Tree], arguments: tuple[Tree, ...]
) -> ArgumentError | None:
    """Return the error for a function that cannot be called with these arguments, or None if it can."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # built-in functions may have none
        return None
    try:
        signature.bind(*arguments)
    except TypeError:
        count = f"{len(arguments)} argument{'' if len(arguments) == 1 else 's'}"
        return ArgumentError(
            f"{rule} is called with {count} ({takes}), but {_shown(function)} takes {signature}",
            fix=f"define it as a function of {takes}",
        )
    return None


def _shown(function: Callable[..., Tree]) -> str:
    """Return the name of a function, and the location of its definition if that is known."""
    plain = inspect.unwrap(function)
    while isinstance(plain, functools.partial):
        plain = inspect.unwrap(plain.func)
    name = getattr(plain, "__name__", type(plain).__name__)
    # An object of a class with `__call__` has the location of that method.
    method = vars(type(plain)).get("__call__")
    code = getattr(plain, "__code__", None) or getattr(method, "__code__", None)
    if code is None:
        return f"`{name}`"
    return f"`{name}` ({short_name(code.co_filename)}:{code.co_firstlineno})"

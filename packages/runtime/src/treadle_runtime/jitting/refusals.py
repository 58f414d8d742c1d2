"""Arguments of jitted functions that are refused: notes on errors, and events, that name the argument and its class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle_ir import ArgumentError
from treadle_ir.errors import capture
from treadle_ir.events import ArgumentRefused, emit, listeners
from treadle_ir.tracing import Arguments, positional_names

SELF = "static.self"
"""The code under which the documentation explains methods whose `self` is refused."""


def note_self(error: ArgumentError, value: object) -> None:
    """Say how a method can be jitted, in an error that refuses its `self` as an array.

    Args:
        error: the error.
        value: the object.
    """
    kind = type(value).__name__
    error.add_note(
        f"  fix: `self` is of class {kind}: mark it static with static_argnums=0, if {kind} hashes and compares by "
        f"value; or make {kind} a pytree; or jit a function of arrays that the method calls ({SELF})"
    )


def note_unhashable(
    error: ArgumentError,
    arguments: Arguments,
    name: str,
    function: Callable[..., Any] | None,
) -> None:
    """Name the static argument that is not hashable, and why, in the error that refuses it.

    Args:
        error: the error.
        arguments: the arguments of the call.
        name: the name of the function.
        function: the user's function, if it is known. Any: its arguments and results.
    """
    names = [] if function is None else positional_names(function)
    for label, value in zip(*_statics(arguments, names), strict=True):
        try:
            hash(value)
        except Exception:  # whatever the user's `__hash__` raises
            why = why_unhashable(value)
            code = f" ({SELF})" if label == "self" else ""
            error.add_note(f"  `{label}` is of class {type(value).__name__}{why}{code}")
            refuse(name, function, label, value)
            return


def _statics(arguments: Arguments, names: list[str]) -> tuple[list[str], list[Any]]:
    """Return the names and the values of the static arguments. Any: of users."""
    assert arguments.statics is not None, "there is a static argument"
    numbers, values, keywords, named = arguments.statics
    labels = [names[i] if i < len(names) else f"argument {i}" for i in numbers]
    return [*labels, *keywords], [*values, *named]


def why_unhashable(value: object) -> str:
    """Return a clause that says why an object is not hashable; empty if that is not known.

    Args:
        value: the object.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Layer:
        ...     sizes: list
        >>> why_unhashable(Layer([1, 2]))
        ', whose field `sizes` is a list, which is not hashable'
    """
    if type(value).__hash__ is None:
        return ", which has __eq__ but no __hash__" if hasattr(value, "__dict__") else ""
    for field, each in getattr(value, "__dict__", {}).items():
        try:
            hash(each)
        except Exception:  # as above
            return f", whose field `{field}` is a {type(each).__name__}, which is not hashable"
    return ""


def refuse(name: str, function: Callable[..., Any] | None, argument: str, value: object) -> None:
    """Tell listeners that an argument is refused.

    Args:
        name: the name of the function.
        function: the user's function, if it is known. Any: its arguments and results.
        argument: the name of the argument.
        value: the argument.
    """
    if listeners:
        emit(ArgumentRefused(name, function, argument, value, capture()))

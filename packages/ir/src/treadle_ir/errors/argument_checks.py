"""Checks of non-array arguments - flags, functions, names, integers, sequences - where users pass them.

Each check names the function and the argument. Errors that the value's own methods raise are the user's and pass
through unchanged, except for NumPy's arrays, whose errors name NumPy.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from treadle_ir.core.extended import ExtendedDType, element_type_of
from treadle_ir.core.sizes import Symbolic
from treadle_ir.errors.kinds import ArgumentError, ConcretizationError, RangeError

_LONGEST: Final = 100


def shown(value: object) -> str:
    """Return a value as messages show it: the beginning of its repr, or its class if it has none.

    Example:
        >>> shown("a" * 200)[:4], len(shown("a" * 200))
        ("'aaa", 100)
    """
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        text = reprlib.repr(value)
    else:
        try:
            text = repr(value)
        except Exception:  # a user's class may raise anything
            return f"an object of {type(value)}"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def refused(
    function: str, name: str, expected: str, value: object, *, fix: str | None = None
) -> ArgumentError:
    """Return the error for an argument that is not of the kind `expected`."""
    given = _traced(value) or f"{shown(value)} of {type(value)}"
    return ArgumentError(f"{function}: {name} must be {expected}, got {given}", fix=fix)


def _traced(value: object) -> str:
    """Return how messages describe a traced array; an empty string for everything else."""
    from treadle_ir.tracing.tracer import Tracer  # noqa: PLC0415 - only an error needs it

    return f"a traced array of type {value.type}" if isinstance(value, Tracer) else ""


def flags(function: str, /, **arguments: object) -> None:
    """Check that arguments are true or false.

    Raises:
        ArgumentError: an argument is neither; ConcretizationError: an argument is traced.

    Example:
        >>> flags("sort", stable=True)
    """
    for name, value in arguments.items():
        if value.__class__ is bool or isinstance(value, (int, np.bool_)) or value is None:
            continue
        if getattr(value, "ndim", None) == 0 and not isinstance(value, type):
            bool(value)  # a tracer's own error explains what to do
        raise refused(function, name, "true or false", value)


def functions(function: str, /, **arguments: object) -> None:
    """Check that arguments are callable.

    Raises:
        ArgumentError: an argument is not.
    """
    for name, value in arguments.items():
        if not callable(value):
            raise refused(function, name, "a function", value)


def classes(function: str, /, **arguments: object) -> None:
    """Check that arguments are classes.

    Raises:
        ArgumentError: an argument is not.
    """
    for name, value in arguments.items():
        if not isinstance(value, type):
            raise refused(function, name, "a class", value)


def names(function: str, /, **arguments: object) -> None:
    """Check that arguments are strings or None.

    Raises:
        ArgumentError: an argument is neither.
    """
    for name, value in arguments.items():
        if not isinstance(value, str) and value is not None:
            raise refused(function, name, "a string", value)


def element_type(function: str, value: object) -> np.dtype[Any]:
    """Return the element type, of any kind and width, that a `dtype` argument names.

    Raises:
        ArgumentError: it does not name an element type.

    Example:
        >>> element_type("astype", "float32")
        dtype('float32')
    """
    if isinstance(value, (np.dtype, ExtendedDType)):
        return element_type_of(value)  # type: ignore[no-any-return]  # of either kind
    try:
        return np.dtype(value)  # type: ignore[call-overload, no-any-return]  # checked by NumPy
    except (TypeError, ValueError, RecursionError) as error:  # whatever the value is
        raise ArgumentError(
            f"{function}: {shown(value)} is not an element type",
            fix="pass a name ('float32') or a type of treadle.numpy",
        ) from error


def number(function: str, name: str, value: object) -> float:
    """Return an argument as a real number, infinite or not.

    Raises:
        ArgumentError: it is not a real number, or it is a NaN.

    Example:
        >>> number("odeint", "rtol", np.float32(0.5))
        0.5
    """
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(
        value, (bool, np.timedelta64)
    ):
        try:
            found = float(value)
        except OverflowError:
            found = np.nan
        if found == found:
            return found
    raise refused(function, name, "a real number", value)


_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 63) - 1


def integer(function: str, name: str, value: object) -> int:
    """Return an argument as a Python integer; for a tracer, its own error explains what to do.

    Raises:
        ArgumentError: it cannot be converted to an integer; RangeError: it has more than 64 bits.
    """
    if value.__class__ is int:
        found: Any = value
    elif isinstance(value, Symbolic):
        size: Any = value  # a symbolic dimension, which acts as an integer
        return size  # type: ignore[no-any-return]  # see above
    elif isinstance(value, type) or not hasattr(value, "__index__") or _no_integer(value):
        raise refused(function, name, "an integer", value)
    else:
        try:
            found = value.__index__()
        except AttributeError:
            raise refused(function, name, "an integer", value) from None
        except (
            ConcretizationError
        ) as error:  # it explains what to do, but does not name the argument
            error.args = (
                f"{function}: {name} must be an integer that is known while tracing, got {_traced(value)}",
            )
            raise
        if not isinstance(found, int):
            raise refused(function, name, "an integer", value)
    if not _LEAST <= found <= _MOST:
        raise RangeError(f"{function}: {name} is {shown(found)}, which has more than 64 bits")
    return int(found)


def integer_or_none(function: str, name: str, value: object) -> int | None:
    """Return an argument as `integer` does, or None."""
    return None if value is None else integer(function, name, value)


def sequence_or_none(function: str, name: str, value: object) -> tuple[Any, ...] | None:
    """Return an argument as `sequence` does, or None."""
    return None if value is None else sequence(function, name, value)


def integers(function: str, name: str, value: object) -> tuple[int, ...]:
    """Return a sequence of integers as a tuple of Python integers.

    Raises:
        ArgumentError: it is not a sequence, or an element is not an integer; RangeError: one has more than 64 bits.

    Example:
        >>> integers("rev", "dimensions", [0, 1])
        (0, 1)
    """
    elements = sequence(function, name, value)
    for each in elements:
        if each.__class__ is not int or not _LEAST <= each <= _MOST:
            return tuple([integer(function, f"each of {name}", each) for each in elements])
    return elements


def integers_or_none(function: str, name: str, value: object) -> tuple[int, ...] | None:
    """Return an argument as `integers` does, or None."""
    return None if value is None else integers(function, name, value)


def pairs(function: str, name: str, value: object, length: int = 2) -> tuple[tuple[int, ...], ...]:
    """Return a sequence of sequences of `length` integers each, by default pairs, as tuples.

    Raises:
        ArgumentError: it is not such a sequence.

    Example:
        >>> pairs("conv", "padding", [(0, 1)])
        ((0, 1),)
    """
    found = tuple(
        [integers(function, f"each of {name}", each) for each in sequence(function, name, value)]
    )
    if any([len(each) != length for each in found]):
        raise refused(function, name, f"a sequence of {length} integers for each axis", value)
    return found


def _no_integer(value: object) -> bool:
    """Return whether a value is an array that has several elements, or elements that are not integers."""
    dtype = getattr(value, "dtype", None)
    if not isinstance(dtype, (np.dtype, ExtendedDType)):
        return False
    return getattr(value, "ndim", 0) != 0 or dtype.kind not in "biuV"


def sequence(function: str, name: str, value: object) -> tuple[Any, ...]:
    """Return the elements of a sequence of options: of a tuple, a list, or any other iterable.

    Raises:
        ArgumentError: it is not a sequence.
    """
    if isinstance(value, tuple):
        return value
    if (
        isinstance(value, (str, bytes, bytearray, memoryview, dict, set, type))
        or not isinstance(value, Iterable)
        or getattr(value, "ndim", 1) == 0
    ):
        raise refused(function, name, "a sequence", value)
    return tuple(value)

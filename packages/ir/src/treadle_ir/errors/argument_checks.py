"""Arguments that are no operands - flags, functions, names, integers, sequences - checked where users hand them over.

Each check names the function and the argument. What the value's own methods raise is the user's and goes on as it is,
but for NumPy's arrays, whose errors name NumPy.
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
    """A value as messages show it: the beginning of its repr, or its class when it has none.

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
    """The error for an argument of another kind than its function takes."""
    given = _traced(value) or f"{shown(value)} of {type(value)}"
    return ArgumentError(f"{function}: {name} must be {expected}, got {given}", fix=fix)


def _traced(value: object) -> str:
    """What messages call a traced array; an empty string for everything else."""
    from treadle_ir.tracing.tracer import Tracer  # noqa: PLC0415 - only an error needs it

    return f"a traced array of type {value.type}" if isinstance(value, Tracer) else ""


def flags(function: str, /, **arguments: object) -> None:
    """Check that arguments are true or false.

    Raises:
        ArgumentError: one is not; ConcretizationError: one is traced.

    Example:
        >>> flags("sort", stable=True)
    """
    for name, value in arguments.items():
        if value.__class__ is bool or isinstance(value, (int, np.bool_)) or value is None:
            continue
        if getattr(value, "ndim", None) == 0 and not isinstance(value, type):
            bool(value)  # a tracer's own error tells what to do
        raise refused(function, name, "true or false", value)


def functions(function: str, /, **arguments: object) -> None:
    """Check that arguments can be called.

    Raises:
        ArgumentError: one cannot.
    """
    for name, value in arguments.items():
        if not callable(value):
            raise refused(function, name, "a function", value)


def classes(function: str, /, **arguments: object) -> None:
    """Check that arguments are classes.

    Raises:
        ArgumentError: one is none.
    """
    for name, value in arguments.items():
        if not isinstance(value, type):
            raise refused(function, name, "a class", value)


def names(function: str, /, **arguments: object) -> None:
    """Check that arguments are strings; None is left to the function.

    Raises:
        ArgumentError: one is none.
    """
    for name, value in arguments.items():
        if not isinstance(value, str) and value is not None:
            raise refused(function, name, "a string", value)


def element_type(function: str, value: object) -> np.dtype[Any]:
    """What NumPy makes of a `dtype` argument, of whatever kind and width.

    Raises:
        ArgumentError: it names no element type.

    Example:
        >>> element_type("astype", "float32")
        dtype('float32')
    """
    if isinstance(value, (np.dtype, ExtendedDType)):
        return element_type_of(value)  # type: ignore[no-any-return]  # of either kind
    try:
        return np.dtype(value)  # type: ignore[call-overload, no-any-return]  # or it is none
    except (TypeError, ValueError, RecursionError) as error:  # whatever it is made of
        raise ArgumentError(
            f"{function}: {shown(value)} is not an element type",
            fix="pass a name ('float32') or a type of treadle.numpy",
        ) from error


def number(function: str, name: str, value: object) -> float:
    """A real number, infinite or not.

    Raises:
        ArgumentError: it is none, or a NaN.

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
    """A Python integer from whatever stands for one; a tracer's own error tells what to do.

    Raises:
        ArgumentError: it does not stand for an integer; RangeError: it has more than 64 bits.
    """
    if value.__class__ is int:
        found: Any = value
    elif isinstance(value, Symbolic):
        size: Any = value  # a symbolic dimension, which acts as an integer
        return size  # type: ignore[no-any-return]  # as said
    elif isinstance(value, type) or not hasattr(value, "__index__") or _no_integer(value):
        raise refused(function, name, "an integer", value)
    else:
        try:
            found = value.__index__()
        except AttributeError:
            raise refused(function, name, "an integer", value) from None
        except (
            ConcretizationError
        ) as error:  # it says what to do, but not which argument it is about
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
    """`integer`, or None."""
    return None if value is None else integer(function, name, value)


def sequence_or_none(function: str, name: str, value: object) -> tuple[Any, ...] | None:
    """`sequence`, or None."""
    return None if value is None else sequence(function, name, value)


def integers(function: str, name: str, value: object) -> tuple[int, ...]:
    """A sequence of integers as a tuple of Python's.

    Raises:
        ArgumentError: it is no sequence, or one of its elements no integer; RangeError: one has more than 64 bits.

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
    """`integers`, or None."""
    return None if value is None else integers(function, name, value)


def pairs(function: str, name: str, value: object, length: int = 2) -> tuple[tuple[int, ...], ...]:
    """A sequence of sequences of so many integers each: of pairs, unless said otherwise.

    Raises:
        ArgumentError: it is none.

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
    """Whether it is an array of several elements, or of other elements than integers."""
    dtype = getattr(value, "dtype", None)
    if not isinstance(dtype, (np.dtype, ExtendedDType)):
        return False
    return getattr(value, "ndim", 0) != 0 or dtype.kind not in "biuV"


def sequence(function: str, name: str, value: object) -> tuple[Any, ...]:
    """The elements of a sequence of options: a tuple, a list, or anything else that can be iterated over.

    Raises:
        ArgumentError: it is no sequence.
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

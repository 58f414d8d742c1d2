"""Misses: calls of jitted functions that had to be traced or compiled, each with the cause that explains it best."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

from treadle_insight.expressions import paths_or_numbers
from treadle_insight.place import Place
from treadle_ir import ArrayType
from treadle_ir.settings import Context
from treadle_ir.tracing import Difference, Signature, difference, positional_names
from treadle_ir.tree import explain_difference

# The causes in the order in which they explain a miss that has several.
CAUSES: Final = (
    "function",
    "structure",
    "hash",
    "static",
    "context",
    "dtype",
    "weak",
    "shape",
    "placement",
)


@final
@dataclass
class Miss:
    """A call that had to be traced, or only compiled.

    Attributes:
        cause: one of `CAUSES`, or empty for the first call of a function.
        what: what differs: the name of an argument, a setting.
        now: what it is in this call, as text.
        before: what it was in the most similar call before, as text.
        detail: further facts on the cause, such as the numbers of axes.
        place: where the call is.
        seconds: how long tracing, lowering and compiling took.
        traced: whether the function was traced.
        program: the hash of the program; None if it is not known.
    """

    cause: str
    what: str
    now: str
    before: str
    detail: Any  # of the cause: see the functions that describe it
    place: Place
    seconds: float = 0.0
    traced: bool = True
    program: int | None = None


@final
@dataclass
class Definition:
    """What is known of all functions that were made from one definition.

    Attributes:
        name: the name of the function.
        place: where it is defined; None if that is not known.
        misses: the calls that had to be traced or compiled, in their order.
    """

    name: str
    place: Place | None
    misses: list[Miss] = field(default_factory=list)


def definition_of(function: Callable[..., Any]) -> tuple[object, ...]:
    """Return what functions from one definition have in common: the code of a function, and of its wrappers.

    Args:
        function: a user's function. Any: its arguments and results.
    """
    found: list[object] = []
    each: Any = function
    while each is not None and len(found) < _MOST_WRAPPERS:
        each = getattr(each, "func", each)  # functools.partial
        found.append(getattr(each, "__code__", None) or type(each))
        each = getattr(each, "__wrapped__", None)
    return tuple(found)


_MOST_WRAPPERS: Final = 16


def place_of_definition(function: Callable[..., Any]) -> Place | None:
    """Return where a function is defined; None for a function that is not written in Python.

    Args:
        function: the function. Any: its arguments and results.
    """
    plain: Any = inspect.unwrap(function)
    while hasattr(plain, "func"):
        plain = inspect.unwrap(plain.func)
    code = getattr(plain, "__code__", None)
    if code is None:
        return None
    return Place(code.co_filename, code.co_firstlineno, name=code.co_qualname)


def explained(
    signature: Signature, nearest: Signature | None, function: Callable[..., Any], place: Place
) -> Miss:
    """Return a miss with the cause that explains it best.

    Args:
        signature: the signature of the call.
        nearest: the most similar signature that was known; None for the first call of a function.
        function: the user's function. Any: its arguments and results.
        place: where the call is.
    """
    if nearest is None:
        return Miss("", "", "", "", None, place)
    names = positional_names(function)
    found = [_described(each, signature, names) for each in difference(signature, nearest)]
    if not found:
        return Miss("", "", "", "", None, place)
    cause, what, now, before, detail = min(found, key=lambda each: CAUSES.index(each[0]))
    return Miss(cause, what, now, before, detail, place)


# Cause, what differs, now, before, detail. Any: of the cause
_Described = tuple[str, str, str, str, Any]


def _described(each: Difference, signature: Signature, names: Sequence[str]) -> _Described:
    """Return a difference as text."""
    now, before = each.now, each.before
    if each.cause == "context":
        lines = now.differences(before)
        return "context", "; ".join(lines), repr(now), repr(before), _is_ambient(now, before)
    if each.cause == "static":
        return _static(each, signature, names)
    if each.cause == "structure":
        lines = explain_difference(now, before)
        accident = any([_is_accident(line) for line in lines])
        return "structure", "; ".join(lines[:2]), str(now), str(before), accident
    if each.cause == "type":
        path = _path(signature, names, each.index)
        return _typed(path, now, before)
    if each.cause == "placement":
        path = _path(signature, names, each.index)
        moved = now.devices != before.devices
        return "placement", path, _where(now), _where(before), moved
    what = "the sharding" if each.cause == "sharding" else "the mesh axes of the arguments"
    return "placement", what, "another one", "one", True


def _path(signature: Signature, names: Sequence[str], index: int) -> str:
    """Return the name of an array among the arguments, such as `x['w']`."""
    paths = paths_or_numbers(lambda: signature.paths(names), len(signature.types))
    return paths[index].removeprefix("argument ")


def _typed(path: str, now: ArrayType, before: ArrayType) -> _Described:
    """Return a difference of types as text."""
    if now.dtype != before.dtype:
        return "dtype", path, str(now), str(before), (now.dtype, before.dtype)
    if now.shape != before.shape:
        axes: tuple[int, ...] = ()
        if len(now.shape) == len(before.shape):
            pairs = enumerate(zip(now.shape, before.shape, strict=True))
            axes = tuple([axis for axis, (one, other) in pairs if one != other])
        return "shape", path, str(now), str(before), (axes, now.shape, before.shape)
    return "weak", path, str(now), str(before), None


def _static(each: Difference, signature: Signature, names: Sequence[str]) -> _Described:
    """Return a difference of static arguments as text."""
    if each.index < 0:
        return "structure", "other arguments are static", "", "", False
    name = signature.static_names(names)[each.index]
    now, before = _value(each.now), _value(each.before)
    kind: Any = type(now)
    by_identity = kind.__eq__ is object.__eq__ and kind is type(before)
    if by_identity and kind.__hash__ is not None and not isinstance(now, type):
        code = getattr(now, "__code__", None)
        defines_hash = kind.__hash__ is not object.__hash__
        detail = (kind.__name__, defines_hash, code is not None)
        if code is None or code == getattr(before, "__code__", None):
            return "hash", name, kind.__name__, kind.__name__, detail
    number = isinstance(now, (int, float, complex)) and not isinstance(now, bool)
    return "static", name, _shown(now), _shown(before), number


def _value(part: Any) -> Any:
    """Return a static argument, given the part of a key for it. Any: of users."""
    if hasattr(part, "is_dead"):
        return part.value
    if isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], type):
        return part[1]
    return part


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


_LONGEST: Final = 60


def _where(placement: Any) -> str:
    """Return a placement as text. Any: of the runtime."""
    devices = ", ".join(map(str, placement.devices[:3])) + (
        f" and {len(placement.devices) - 3} more" if len(placement.devices) > 3 else ""
    )
    return f"committed to {devices}" if placement.committed else f"uncommitted on {devices}"


def _is_ambient(now: Context, before: Context) -> bool:
    """Return whether contexts differ only in where work is done, or within which axes, as programs mean them to."""
    if now.axes != before.axes:
        return True
    lines = now.differences(before)
    return all([line.split(" ", 1)[0] in _AMBIENT for line in lines])


_AMBIENT: Final = frozenset({"default_device", "results_over", "mesh"})


_CONTAINERS: Final = "list|tuple|dict|OrderedDict|defaultdict"
_DIFFERENT: Final = re.compile(rf": ({_CONTAINERS})\b.* and (?!\1\b)({_CONTAINERS})\b")


def _is_accident(line: str) -> bool:
    """Return whether two structures differ in Python's own containers, such as a list for a tuple.

    Example:
        >>> _is_accident("at [0]: list of 2 and tuple of 2")
        True
    """
    return _DIFFERENT.search(line) is not None

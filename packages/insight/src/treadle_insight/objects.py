"""Users' objects, read without running any of the user's code; and values that are remembered for a comparison."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_insight.bytecode import Step
from treadle_ir import Array
from treadle_ir.errors import kind_of_file
from treadle_runtime import DeviceArray

MISSING: Final = object()
Look: TypeAlias = Callable[[], Any]  # returns a value as it is now, or MISSING. Any: of users
PLAIN: Final = frozenset({bool, int, float, complex, str, bytes, type(None)})
_MOST: Final = 64  # entries of a container that are remembered
_SMALL: Final = 1 << 12  # bytes of an array whose elements are compared
_MOST_SHOWN: Final = 40  # characters


def attribute(owner: object, name: str) -> Any:
    """Return an attribute of an object, or `MISSING`; properties and `__getattr__` are not run.

    Args:
        owner: the object, a class or a module.
        name: the attribute.

    Example:
        >>> class Model:
        ...     rate = 0.5
        ...     scale = property(lambda self: 1 / 0)
        >>> attribute(Model(), "rate"), attribute(Model(), "scale") is MISSING
        (0.5, True)
    """
    if isinstance(owner, ModuleType):
        is_users = kind_of_file(getattr(owner, "__file__", None) or "<string>") == "user"
        return vars(owner).get(name, MISSING) if is_users else MISSING
    classes = type(owner).__mro__
    if isinstance(owner, type):
        classes = owner.__mro__
    else:
        try:
            own = object.__getattribute__(owner, "__dict__")
        except AttributeError:
            own = {}
        if type(own) is dict and name in own:
            return own[name]
    for each in classes:
        found = each.__dict__.get(name, MISSING)
        if found is MISSING:
            continue
        if isinstance(found, MemberDescriptorType) and not isinstance(owner, type):
            try:
                return found.__get__(owner)
            except AttributeError:
                return MISSING
        return MISSING if hasattr(type(found), "__get__") else found
    return MISSING


def followed(value: Any, steps: tuple[Step, ...]) -> Any:  # Any: a user's value
    """Return what attributes and entries lead to, or `MISSING`.

    Args:
        value: where they begin.
        steps: the attributes and constant indices.
    """
    for kind, key in steps:
        if kind == ".":
            value = attribute(value, str(key))
        elif type(value) in (list, tuple, dict):
            try:
                value = value[key]
            except (LookupError, TypeError):
                return MISSING
        else:
            return MISSING
        if value is MISSING:
            return MISSING
    return value


def global_variable(scope: dict[str, Any], name: str) -> Look:
    """Return a look at a global variable. Any: values of users.

    Args:
        scope: the module's variables.
        name: the variable.
    """
    return lambda: scope.get(name, MISSING)


def closed_over(cell: CellType) -> Look:
    """Return a look at a variable of an enclosing function.

    Args:
        cell: what holds it.
    """

    def look() -> Any:
        try:
            return cell.cell_contents
        except ValueError:
            return MISSING

    return look


def weakly(owner: weakref.ref[Any]) -> Look:
    """Return a look at an object, `MISSING` when it has died.

    Args:
        owner: refers to the object. Any: of the user's class.
    """

    def look() -> Any:
        found = owner()
        return MISSING if found is None else found

    return look


def is_object(value: object) -> bool:
    """Return whether a value is an object with state of its own: no array, number, function, class or module."""
    functions = (FunctionType, MethodType, BuiltinFunctionType, ModuleType, type)
    return not isinstance(value, (Array, np.ndarray, np.generic, *functions)) and (
        type(value) not in PLAIN
    )


def is_plain(value: object) -> bool:
    """Return whether a value is a number, a text, None, or a tuple of these."""
    if type(value) in PLAIN or isinstance(value, np.generic):
        return True
    return type(value) is tuple and len(value) <= _MOST and all([is_plain(x) for x in value])


@final
class Remembered:
    """A value as it was, for a comparison with a later one."""

    __slots__ = ("_identity", "kept")

    def __init__(self, value: Any, kept: Any) -> None:
        self._identity = id(value)
        self.kept = kept

    @property
    def shown(self) -> str:
        """The value as a message shows it."""
        return f"an array {self.kept.type}" if isinstance(self.kept, _Array) else shown(self.kept)

    def is_like(self, value: Any) -> bool:
        """Return whether a later value is the same, or equal to it. Any: a user's value."""
        kept = self.kept
        if value is kept:
            return True
        if type(value) in (list, dict, set):
            return type(value) is type(kept) and _equal(_entries(kept), _entries(value))
        if isinstance(value, (np.ndarray, DeviceArray)):
            return _are_alike(self, value, id(value) == self._identity)
        return is_plain(value) and _equal(kept, value)


@final
class _Array:
    """A remembered array: its type, and its elements if they are few."""

    __slots__ = ("elements", "type")

    def __init__(self, value: Any) -> None:
        self.type = _type_text(value)
        self.elements = _elements(value)


def remembered(value: Any, whole: bool) -> Remembered | None:  # Any: a user's value
    """Return what is remembered of a value, or None if it cannot be compared later.

    Args:
        value: the value.
        whole: whether all entries of a container matter.
    """
    if is_plain(value):
        return Remembered(value, value)
    if isinstance(value, (np.ndarray, DeviceArray)):
        return Remembered(value, _Array(value))
    if whole and type(value) in (list, dict, set):
        return None if _entries(value) is None else Remembered(value, value.copy())
    return None


def _entries(value: Any) -> tuple[Any, ...] | None:  # Any: a container
    """Return the entries of a small container of plain values; None for another one."""
    if len(value) > _MOST:
        return None
    found = tuple(value.items() if type(value) is dict else value)
    if not is_plain(found):
        return None
    return (frozenset(found),) if type(value) is set else found


def _equal(one: Any, other: Any) -> bool:  # Any: plain values
    """Return whether plain values are equal, and of the same type; NaN equals NaN."""
    if type(one) is not type(other):
        return False
    if type(one) is tuple:
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other or (one != one and other != other))


def _elements(value: Any) -> bytes | None:  # Any: an array
    """Return the elements of a small array that can be read at once; None for another one."""
    if isinstance(value, DeviceArray):
        if value.type.nbytes > _SMALL or value.__treadle_host__() is None:
            return None
        value = value.__treadle_host__()
    return value.tobytes() if value.nbytes <= _SMALL and not value.dtype.hasobject else None


def _are_alike(before: Remembered, value: Any, same: bool) -> bool:  # Any: an array
    """Return whether an array is the same as before, or has equal elements."""
    kept = before.kept
    if not isinstance(kept, _Array):
        return False
    if same and isinstance(value, DeviceArray):
        return True
    if kept.elements is None:
        return same
    return kept.type == _type_text(value) and _elements(value) in (kept.elements, None)


def _type_text(value: Any) -> str:  # Any: an array
    """Return an array's type as text: `f32[3]`."""
    if isinstance(value, DeviceArray):
        return str(value.type)
    return f"{value.dtype}[{','.join(map(str, value.shape))}]"


def shown(value: Any) -> str:  # Any: a user's value
    """Return a value as a message shows it, in few characters.

    Args:
        value: a plain value, a container of such, or an array.
    """
    if isinstance(value, (np.ndarray, DeviceArray)):
        return f"an array {_type_text(value)}"
    if isinstance(value, np.generic):
        return str(value)
    if is_plain(value) or (type(value) in (list, dict, set) and _entries(value) is not None):
        text = repr(value)
        return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."
    return f"a value of {type(value).__qualname__}"

"""Static arguments as parts of cache keys.

They are hashed and compared on every call, so that changes in place are seen. The class of a value is part of the key:
1, 1.0 and True are equal, but give different programs. An object that is equal only to itself is referenced weakly, so
that its cache entries are released together with it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import Any, final

from treadle_ir import ArgumentError
from treadle_ir.tracing import Arguments

Key = tuple[Hashable, ...]


@final
class Identity:
    """A weak reference to an object in a key; `gone` is called when the object dies."""

    __slots__ = ("_hash", "_reference")

    def __init__(self, value: object, gone: Callable[[object], object] | None = None) -> None:
        self._hash = id(value)
        self._reference = weakref.ref(value, gone)

    @property
    def is_dead(self) -> bool:
        """Whether the object has died; the key is then not equal to any other."""
        return self._reference() is None

    @property
    def value(self) -> object:
        """The object; None if it has died."""
        return self._reference()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        value = self._reference()
        return isinstance(other, Identity) and value is not None and other._reference() is value

    def __hash__(self) -> int:
        return self._hash


def static_key(
    arguments: Arguments,
    name: str,
    gone: Callable[[object], object] | None = None,
    function: Callable[..., Any] | None = None,
) -> Key | None:
    """Return the static arguments of a call as a key; None if there are none.

    Args:
        arguments: the arguments of the call.
        name: the name of the function, for messages.
        gone: called when an object that the key references weakly dies.
        function: the user's function, for messages. Any: its arguments and results.

    Raises:
        ArgumentError: a static argument is not hashable.
    """
    if arguments.statics is None:
        return None
    numbers, values, names, named = arguments.statics
    try:
        return (
            numbers,
            tuple([_part(name, value, gone) for value in values]),
            names,
            tuple([_part(name, value, gone) for value in named]),
        )
    except ArgumentError as error:
        from treadle_runtime.jitting.refusals import note_unhashable  # noqa: PLC0415 - for errors only

        note_unhashable(error, arguments, name, function)
        raise


def _part(name: str, value: Any, gone: Callable[[object], object] | None) -> Hashable:
    kind = type(value)
    try:
        hash(value)
    except Exception as error:
        raise ArgumentError(
            "Non-hashable static arguments are not supported. An error occurred during a call to "
            f"'{name}' while trying to hash an object of type {kind}, {_shown(value)}. "
            f"The error was:\n{type(error).__name__}: {error}",
            fix="pass arrays as ordinary arguments, lists as tuples, and give classes __hash__ and __eq__",
        ) from error
    plain: tuple[object, object] = object.__hash__, object.__eq__
    if (kind.__hash__, kind.__eq__) == plain:
        try:
            return Identity(value, gone)
        except TypeError:  # a class without weak references
            pass
    return kind, value


def holds_dead(key: object) -> bool:
    """Return whether a key references an object that has died."""
    if isinstance(key, Identity):
        return key.is_dead
    return isinstance(key, tuple) and any(map(holds_dead, key))


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        return "<no repr>"
    return text if len(text) <= 200 else text[:200] + "..."

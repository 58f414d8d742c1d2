"""The registry: the operations, effects and attribute classes that a program's text may name.

`@register` above a class adds it, for treadle's own primitives and for users'. A name has one meaning for the life of
the process, so a second class of the same name is an error. Primitives that are not registered work everywhere but in
text.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from enum import Enum
from typing import Any, Final, TypeVar

from treadle_ir.core.effects import Callback, Effect, NamedAxis, OrderedCallback
from treadle_ir.core.primitive import Primitive
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.errors.lazily import import_module

C = TypeVar("C", bound=type[Any])  # Any: a class of whatever kind

_PRIMITIVES: Final[dict[str, type[Primitive]]] = {}  # by mnemonic; only grows
_CLASSES: Final[dict[str, type]] = {}  # of effects and attributes, by class name; only grows


def register(cls: C) -> C:
    """Register a primitive, an effect or an attribute class, so that programs in text can name it; a decorator.

    Raises:
        ArgumentError: the class is none of these, or another class has its name.

    Example:
        >>> from typing import ClassVar, final
        >>> from treadle_ir import Primitive, Type, register
        >>> from treadle_ir.core.primitive import Attributeless
        >>> @register
        ... @final
        ... class Same(Attributeless):
        ...     name: ClassVar[str] = "example_same"
        ...     def infer(self, *operands: Type) -> tuple[Type, ...]:
        ...         return operands
    """
    if not cls.__module__.startswith(("treadle_ir.", "treadle_compiler.")):
        _import_all()  # the names of treadle's own classes are reserved, whether they are used or not
    if issubclass(cls, Primitive):
        if "name" not in cls.__dict__:
            raise ArgumentError(
                f"{cls.__qualname__} has no mnemonic, so it cannot be registered",
                fix=f'give the class a `name: ClassVar[str] = "{cls.__name__.lower()}"`',
            )
        _add(_PRIMITIVES, cls.name, cls, "primitive")
    elif issubclass(cls, (Effect, Enum)) or is_dataclass(cls):
        _add(_CLASSES, cls.__name__, cls, "class")
    else:
        raise ArgumentError(
            f"{cls.__qualname__} is not a primitive, effect, enumeration or dataclass, so it cannot be registered",
            fix="attributes of primitives are frozen dataclasses, enumerations, numbers, strings and tuples of these",
        )
    return cls


def _add(table: dict[str, type[Any]], name: str, cls: type[Any], kind: str) -> None:
    known = table.setdefault(name, cls)
    # A module that is imported again, or a notebook cell that runs again, defines its class again.
    if known is not cls and (known.__module__, known.__qualname__) != (
        cls.__module__,
        cls.__qualname__,
    ):
        raise ArgumentError(
            f"a {kind} named `{name}` is registered already: {known.__module__}.{known.__qualname__}",
            fix=f"give {cls.__module__}.{cls.__qualname__} another name",
        )
    table[name] = cls


def find_primitive(mnemonic: str) -> type[Primitive] | None:
    """Return the primitive of a mnemonic, or None."""
    found = _PRIMITIVES.get(mnemonic)
    if found is None:
        _import_all()
        found = _PRIMITIVES.get(mnemonic)
    return found


def find_class(name: str) -> type | None:
    """Return the effect, enumeration or attribute class of a name, or None."""
    found = _CLASSES.get(name)
    if found is None:
        _import_all()
        found = _CLASSES.get(name)
    return found


def mnemonics() -> list[str]:
    """Return all mnemonics, in alphabetical order."""
    _import_all()
    return sorted(_PRIMITIVES)


def _import_all() -> None:
    """Register all of treadle's own primitives; otherwise a family is imported when it is first needed."""
    primitives = (
        "treadle_ir.primitives"  # a string: `core` does not depend on the concrete primitives
    )
    for family in import_module(primitives).FAMILIES:
        import_module(f"{primitives}.{family}")


for _effect in (Callback, OrderedCallback, NamedAxis):
    register(_effect)

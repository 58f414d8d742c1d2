"""`@frozen`: a frozen dataclass whose class costs a twentieth of what `dataclasses` takes to make it.

For each class `dataclasses` writes the source of its methods and compiles that, which takes 0.3 ms; for the hundred
classes of primitives, effects and options that was a third of the time of `import treadle`. Here the methods are
ordinary functions that know the names of the fields. All else is as with `@dataclass(frozen=True)`: the classes are
dataclasses, with `fields`, `replace`, defaults and `__post_init__`, and type checkers see them as such.

A process uses few of its classes. So a class becomes a dataclass, and gets its methods, when these are first looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import partial
from inspect import Parameter, Signature
from operator import attrgetter
from types import FunctionType
from typing import Any, Final, NoReturn, TypeVar, dataclass_transform, final, overload

T = TypeVar("T")

_put: Final = object.__setattr__


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T], /) -> type[T]: ...
@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, eq: bool) -> Callable[[type[T]], type[T]]: ...
def frozen(cls: type[T] | None = None, /, *, eq: bool = True) -> Any:
    """Make a class a frozen dataclass; a decorator, as `@frozen` or `@frozen(eq=False)`.

    Without `eq` its objects are equal only to themselves.

    Example:
        >>> @frozen
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0)
        (Point(x=1, y=0), True)
    """
    if cls is None:
        return lambda decorated: _made(decorated, eq)
    return _made(cls, eq)


def _made(cls: type[T], eq: bool) -> type[T]:
    methods: dict[str, object] = {
        "__init__": _Later(cls, "__init__", _initializer),
        "__repr__": _repr,
        "__setattr__": refuse,
        "__delattr__": refuse,
        "__signature__": _Signature(),
        "__match_args__": _Later(cls, "__match_args__", _positional),
    }
    if eq:
        methods["__eq__"] = _Later(cls, "__eq__", _equality)
        methods["__hash__"] = _Later(cls, "__hash__", _hashing)
    for name, method in methods.items():
        if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
            setattr(cls, name, method)
    for name in ("__dataclass_fields__", "__dataclass_params__"):
        setattr(cls, name, _Later(cls, name, partial(_of_dataclass, name)))
    if any([isinstance(value, Field) for value in cls.__dict__.values()]):
        fields(cls)  # type: ignore[arg-type]  # now: `field(...)` stands where the class has a default
    return cls


@final
class _Later:
    """An attribute of a frozen class that is made when it is first looked up, and then replaces this one."""

    __slots__ = ("_class", "_make", "_name")

    def __init__(self, cls: type, name: str, make: Callable[[type], Any]) -> None:
        self._class = cls
        self._name = name
        self._make = make

    # Any: of whatever kind the attribute is
    def __get__(self, instance: object, owner: type) -> Any:
        made = self._make(self._class)
        setattr(self._class, self._name, made)
        return made.__get__(instance, owner) if isinstance(made, FunctionType) else made


def _of_dataclass(name: str, cls: type) -> object:
    """Make `cls` a dataclass, and return the attribute `name` that this gave it."""
    dataclass(init=False, repr=False, eq=False)(cls)
    return cls.__dict__[name]


def _positional(cls: type) -> tuple[str, ...]:
    return tuple([each.name for each in fields(cls) if each.init])


def _key(cls: type) -> Callable[[Any], object]:
    """Return the function of an object that gives what is compared."""
    compared = [each.name for each in fields(cls) if each.compare]
    # Without fields, the class says it all.
    return attrgetter(*compared) if compared else type


def _equality(cls: type) -> Callable[[Any, object], bool]:
    key = _key(cls)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - it becomes one
        if other.__class__ is not self.__class__:
            return NotImplemented
        return key(self) == key(other)

    return __eq__


def _hashing(cls: type) -> Callable[[Any], int]:
    key = _key(cls)
    return lambda self: hash(key(self))


def _initializer(cls: type) -> Callable[..., None]:
    taken = [each for each in fields(cls) if each.init]
    names = tuple([each.name for each in taken])
    defaults = {each.name: each.default for each in taken if each.default is not MISSING}
    count, required, last = len(names), len(names) - len(defaults), tuple(defaults.values())
    every, finish = {*names}, getattr(cls, "__post_init__", None)

    def init(self: object, *args: Any, **kwargs: Any) -> None:
        given = len(args)
        if kwargs:
            values = {**defaults, **dict(zip(names, args)), **kwargs}  # noqa: B905 - looked at below
            known = values.keys() == every
            if not known or given > count or not kwargs.keys().isdisjoint(names[:given]):
                raise _wrong(cls, names, defaults, args, kwargs)
            args = tuple([values[name] for name in names])
        elif given != count:
            if not required <= given < count:
                raise _wrong(cls, names, defaults, args, kwargs)
            args += last[given - required :]
        for name, value in zip(names, args):  # noqa: B905 - as many of both
            _put(self, name, value)
        if finish is not None:
            finish(self)

    return init


def _wrong(
    cls: type,
    names: tuple[str, ...],
    defaults: dict[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> TypeError:
    """Return the error for arguments that are too many, too few, or no fields."""
    if len(args) > len(names):
        problem = f"takes {len(names)} arguments, but {len(args)} were given"
    elif unknown := sorted(kwargs.keys() - {*names}):
        problem = f"has no field {unknown[0]!r}"
    elif twice := sorted(kwargs.keys() & {*names[: len(args)]}):
        problem = f"got two values for field {twice[0]!r}"
    else:
        lacking = [name for name in names[len(args) :] if name not in {**defaults, **kwargs}]
        problem = f"needs a value for {', '.join(lacking)}"
    return TypeError(f"{cls.__qualname__} {problem}; its fields are {', '.join(names) or 'none'}")


def _repr(self: Any) -> str:
    shown = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def refuse(self: object, name: str, value: object = None) -> NoReturn:
    """Refuse to set or delete an attribute: `__setattr__` and `__delattr__` of classes of immutable objects.

    Raises:
        FrozenInstanceError: always.
    """
    raise FrozenInstanceError(
        f"{type(self).__qualname__} is frozen: its {name!r} cannot be changed"
    )


class _Signature:
    """What `inspect.signature` and `help` show of the class, made when they ask."""

    def __get__(self, instance: object, owner: type) -> Signature:
        kind = Parameter.POSITIONAL_OR_KEYWORD
        parameters = []
        for each in fields(owner):
            if each.init:
                default = Parameter.empty if each.default is MISSING else each.default
                parameters.append(Parameter(each.name, kind, default=default, annotation=each.type))
        return Signature(parameters)

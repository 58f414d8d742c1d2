"""Wrappers of a user's function: they show the function's name, its documentation and its attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, TypeVar, cast

from treadle_ir.errors.tracebacks import boundary

Wrapper = TypeVar("Wrapper")
Function = TypeVar("Function")

_KINDS: Final[dict[str, type]] = {
    "__name__": str,
    "__qualname__": str,
    "__annotations__": dict,
    "__type_params__": tuple,
}


def wraps(
    function: object, updated: tuple[str, ...] = functools.WRAPPER_UPDATES
) -> Callable[[Wrapper], Wrapper]:
    """Return `functools.wraps` for any callable: it skips attributes of types that a function cannot have.

    Example:
        >>> class Scaled:
        ...     "Twice as much."
        ...     __name__ = 2
        ...     def __call__(self, x):
        ...         return 2 * x
        >>> @wraps(Scaled())
        ... def wrapper(x):
        ...     return x
        >>> wrapper.__name__, wrapper.__doc__
        ('wrapper', 'Twice as much.')
    """
    update: Any = functools.update_wrapper  # Any: it is declared for functions
    shown = _shown(function)

    def wrap(wrapper: Wrapper) -> Wrapper:
        update(boundary(wrapper), wrapped=function, assigned=shown, updated=updated)
        return wrapper

    return wrap


def shown_as(wrapper: object, function: object) -> None:
    """Apply `wraps` to an object, except that the function's attributes never hide members of the wrapper's class.

    Functions may be objects of classes with methods and private attributes of the same names.

    Example:
        >>> class Wrapper:
        ...     def call(self):
        ...         return "the wrapper's"
        >>> def f():
        ...     "What f does."
        >>> f.call, f.more = "the function's", 1
        >>> w = Wrapper()
        >>> shown_as(w, f)
        >>> w.__doc__, w.call(), w.more
        ('What f does.', "the wrapper's", 1)
    """
    wraps(function, updated=())(wrapper)
    own = type(wrapper)
    for name, value in getattr(function, "__dict__", {}).items():
        if name[:2] != "__" and not hasattr(own, name):
            setattr(wrapper, name, value)


def alias(function: Function, name: str, module: str | None = None) -> Function:
    """Return a function that does the same as `function`, and has the name `name`.

    It has the code, defaults and documentation of `function`, so a call costs the same. Pickle finds it by its name.

    Args:
        function: a function written in Python.
        name: the name of the copy.
        module: the module that defines the name; the module of `function` if None.

    Example:
        >>> def absolute(x):
        ...     "The absolute value."
        ...     return max(x, -x)
        >>> magnitude = alias(absolute, "magnitude")
        >>> magnitude(-2), magnitude.__name__, magnitude.__doc__
        (2, 'magnitude', 'The absolute value.')
    """
    assert isinstance(function, FunctionType), f"{function!r} has no code of its own"
    copy = FunctionType(
        function.__code__,
        function.__globals__,
        name,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__annotations__ = function.__annotations__
    copy.__doc__ = function.__doc__
    copy.__dict__.update(function.__dict__)
    copy.__qualname__ = name
    copy.__module__ = function.__module__ if module is None else module
    return cast("Function", copy)


def forwarded(wrapper: object, name: str) -> Any:  # Any: whatever the function has
    """Return an attribute that a wrapper lacks and its function has, such as a method that sets rules.

    Raises:
        AttributeError: the function lacks it, too, or the name is private.

    Example:
        >>> class Wrapper:
        ...     __getattr__ = forwarded
        >>> class Function:
        ...     def def_rule(self):
        ...         return "set"
        >>> w = Wrapper()
        >>> w.__wrapped__ = Function()
        >>> w.def_rule()
        'set'
    """
    function = vars(wrapper).get("__wrapped__")
    if function is None or name.startswith("_") or not hasattr(function, name):
        raise AttributeError(
            f"{type(wrapper).__name__!r} object has no attribute {name!r}", name=name, obj=wrapper
        )
    return getattr(function, name)


def _shown(function: object) -> tuple[str, ...]:
    """Return the names of the function's attributes that its wrapper shows."""
    names = functools.WRAPPER_ASSIGNMENTS
    if type(function) is FunctionType:
        return names
    return tuple(
        [
            name
            for name in names
            if isinstance(getattr(function, name, None), _KINDS.get(name, object))
        ]
    )

"""Objects that stand for a user's function: they show its name, its documentation and its attributes."""

from __future__ import annotations

import functools


def shown_as(wrapper: object, function: object) -> None:
    """`functools.update_wrapper`, except that attributes of the function never hide what the wrapper's class defines.

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
    functools.update_wrapper(wrapper, function, updated=())  # type: ignore[arg-type]  # or a callable object
    own = type(wrapper)
    for name, value in getattr(function, "__dict__", {}).items():
        if name[:2] != "__" and not hasattr(own, name):
            setattr(wrapper, name, value)

"""Named scopes: names of operations in the lowered text, and so in profiles.

A scope applies to the operations that are staged in it; functions that are compiled already have the scopes of their
own bodies. Names of nested scopes are joined: `encoder/attention`. Operations of a derivative have the scope of the
operation to which they belong, and operations of the backward pass have it as `transpose(encoder/attention)`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any, TypeVar, final

from treadle_ir.errors.argument_checks import shown
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.errors.source import Place, place, within as within
from treadle_ir.errors.wrapping import wraps

F = TypeVar("F", bound=Callable[..., Any])


@final
class named_scope(ContextDecorator):  # noqa: N801 - reads as a statement
    """Name the operations that are staged in a block: `with named_scope("attention"):`; also a decorator.

    Args:
        name: the name, which appears in profiles and in the text of programs.

    Raises:
        ArgumentError: the name is not a string. (Also a TypeError.)

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> @treadle.jit
        ... def f(x):
        ...     with treadle.named_scope("outer"):
        ...         return tnp.sin(x)
        >>> 'outer/sine' in f.lower(1.0).as_text(debug_info=True)
        True
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ArgumentError(
                f"named_scope: name must be a string, got {shown(name)}",
                fix='write `with named_scope("name"):`',
            )
        self._name = name

    # The outer scope is stored in the place, not here: one scope may be entered again, and by many threads.
    def __enter__(self) -> None:
        outer = place.get()
        if outer is None:
            place.set(Place(self._name))
        else:
            scope, path = within(outer.scope, self._name), within(outer.path, self._name)
            place.set(Place(scope, outer.replayed, outer, path))

    def __exit__(self, *error: object) -> None:
        inner = place.get()
        place.set(None if inner is None else inner.outer)


def named_call(fun: F, *, name: str | None = None) -> F:
    """Wrap a function so that it runs in a named scope of its own name, or of the given name.

    Args:
        fun: the function.
        name: the name; the function's own if None.

    Returns:
        A function of the same arguments and results.

    Raises:
        ArgumentError: `fun` is not a function, or the name is not a string.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> f = treadle.named_call(lambda x: tnp.sin(x), name="layer")
        >>> 'layer/sine' in treadle.jit(f).lower(1.0).as_text(debug_info=True)
        True
    """
    if not callable(fun):
        raise ArgumentError(f"named_call: fun must be a function, got {shown(fun)}")
    scope = getattr(fun, "__name__", type(fun).__name__) if name is None else name
    named_scope(scope)  # checks the name now

    @wraps(fun)
    def called(*args: Any, **kwargs: Any) -> Any:
        with named_scope(scope):
            return fun(*args, **kwargs)

    return called  # type: ignore[return-value]  # the same signature

"""Functions with transformations around them, as JAX's interpreters pass them: `wrap_init`, `transformation`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Hashable, Mapping
from typing import Any, TypeAlias, final

from treadle_ir import UsageError, functions

__all__ = [
    "StoreException",
    "WrappedFun",
    "merge_linear_aux",
    "transformation",
    "transformation2",
    "transformation_with_aux",
    "transformation_with_aux2",
    "wrap_init",
]

Value: TypeAlias = Any  # Any: what the functions take and return
Function: TypeAlias = Callable[..., Any]


class StoreException(UsageError):  # noqa: N818 - JAX's name
    """What a transformation says beside the results was asked before the function ran, or was said twice."""


@final
class _Store:
    """What a transformation says beside the results, when it has run."""

    def __init__(self) -> None:
        self._values: list[Value] = []

    def put(self, value: Value) -> None:
        """Keep it; what runs again says the same."""
        self._values = [value]

    def get(self) -> Value:
        """What was said."""
        if not self._values:
            raise StoreException("the function has not run yet", fix="call it first")
        return self._values[0]


@final
class WrappedFun:
    """A function with transformations around it: `call_wrapped` calls it."""

    def __init__(
        self, f: Function, transformed: Function, params: Mapping[str, Value], debug_info: object
    ) -> None:
        self.f = f
        self.f_transformed = transformed
        self.params = tuple(sorted(params.items()))
        self.debug_info = debug_info

    @property
    def __name__(self) -> str:
        return str(getattr(self.f, "__name__", "<unnamed>"))

    def call_wrapped(self, *args: Value, **kwargs: Value) -> Value:
        """The results of the function, transformed."""
        return self.f_transformed(*args, **kwargs)

    def wrapped(self, transformed: Function) -> WrappedFun:
        """The same with another transformation around it."""
        return WrappedFun(self.f, transformed, dict(self.params), self.debug_info)


def wrap_init(
    f: Function, params: Mapping[str, Value] | None = None, *, debug_info: object = None
) -> WrappedFun:
    """A function without transformations around it; `params` are keyword arguments of it.

    Example:
        >>> from treadle.extend import linear_util as lu
        >>> lu.wrap_init(lambda x: x + 1).call_wrapped(2)
        3
    """
    functions("wrap_init", f=f)
    params = dict(params or {})
    return WrappedFun(f, functools.partial(f, **params) if params else f, params, debug_info)


def transformation2(gen: Function, fun: WrappedFun, *static: Hashable) -> WrappedFun:
    """A function with a transformation around it: `gen(f, *static, *args, **kwargs)` returns the results."""
    return fun.wrapped(functools.partial(gen, fun.f_transformed, *static))


def transformation_with_aux2(
    gen: Function, fun: WrappedFun, *static: Hashable, use_eq_store: bool = False
) -> tuple[WrappedFun, Callable[[], Value]]:
    """As `transformation2`, for `gen(f, store, *static, *args, **kwargs)`, which says more by `store.store(value)`."""
    kept = _Store()
    adapter = _StoreView(kept)
    return fun.wrapped(functools.partial(gen, fun.f_transformed, adapter, *static)), kept.get


@final
class _StoreView:
    """What a generator of `transformation_with_aux2` writes to."""

    def __init__(self, kept: _Store) -> None:
        self._kept = kept

    def store(self, value: Value) -> None:
        """Say something beside the results."""
        self._kept.put(value)


def _driven(
    gen: Callable[..., Generator[Value, Value, None]], f: Function, static: tuple[Hashable, ...]
) -> Function:
    """A function run by a generator: it yields the arguments, is sent the results, and yields what comes back."""

    def call(*args: Value, **kwargs: Value) -> Value:
        steps = gen(*static, *args, **kwargs)
        inner_args, inner_kwargs = next(steps)
        results = steps.send(f(*inner_args, **inner_kwargs))
        steps.close()
        return results

    return call


def _transformed(gen: Function, fun: WrappedFun, *static: Hashable) -> WrappedFun:
    return fun.wrapped(_driven(gen, fun.f_transformed, static))


def _transformed_with_aux(
    gen: Function, fun: WrappedFun, *static: Hashable, use_eq_store: bool = False
) -> tuple[WrappedFun, Callable[[], Value]]:
    kept = _Store()
    inner = _driven(gen, fun.f_transformed, static)

    def call(*args: Value, **kwargs: Value) -> Value:
        results, said = inner(*args, **kwargs)
        kept.put(said)
        return results

    return fun.wrapped(call), kept.get


def transformation(gen: Function) -> Callable[..., WrappedFun]:
    """A decorator of generators: `gen(*static, *args)` yields `(args, kwargs)`, is sent results, yields results."""
    return functools.partial(_transformed, gen)


def transformation_with_aux(
    gen: Function,
) -> Callable[..., tuple[WrappedFun, Callable[[], Value]]]:
    """As `transformation`; the generator yields `(results, aux)`, and a function gives the latter afterwards."""
    return functools.partial(_transformed_with_aux, gen)


def merge_linear_aux(aux1: Callable[[], Value], aux2: Callable[[], Value]) -> tuple[bool, Value]:
    """What one of two transformations said, and whether it was the first.

    Raises:
        StoreException: neither has run.
    """
    try:
        return True, aux1()
    except StoreException:
        return False, aux2()

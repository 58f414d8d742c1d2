"""Functions with transformations around them, as JAX's interpreters pass them: `wrap_init`, `transformation`."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Generator, Hashable, Mapping
from typing import Any, Final, TypeAlias, final

from treadle.cache_clearing import also_clear
from treadle_ir.errors import UsageError, boundaries, functions, wraps
from treadle_ir.process import fork_safe_lock
from treadle_ir.settings import current_context

__all__ = [
    "StoreException",
    "WrappedFun",
    "cache",
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
    """The auxiliary output of a transformation was read before the function ran, or stored twice."""


@final
class _Store:
    """The auxiliary output of a transformation, once it has run."""

    def __init__(self) -> None:
        self._values: list[Value] = []

    def put(self, value: Value) -> None:
        """Store `value`; a repeated run stores an equal value."""
        self._values = [value]

    def get(self) -> Value:
        """Return the stored value."""
        if not self._values:
            raise StoreException("the function has not run yet", fix="call it first")
        return self._values[0]

    @property
    def has_run(self) -> bool:
        """Whether a value is stored."""
        return bool(self._values)


@final
class WrappedFun:
    """A function with transformations around it: `call_wrapped` calls it."""

    def __init__(
        self,
        f: Function,
        transformed: Function,
        params: Mapping[str, Value],
        debug_info: object,
        transforms: tuple[tuple[Function, tuple[Hashable, ...]], ...] = (),
        stores: tuple[_Store, ...] = (),
    ) -> None:
        self.f = f
        self.f_transformed = transformed
        self.params = tuple(sorted(params.items()))
        self.debug_info = debug_info
        self.transforms = transforms  # outermost first, with what they were given
        self.stores = stores  # of those that say more

    @property
    def __name__(self) -> str:
        return str(getattr(self.f, "__name__", "<unnamed>"))

    def call_wrapped(self, *args: Value, **kwargs: Value) -> Value:
        """Return the results of the function, transformed."""
        return self.f_transformed(*args, **kwargs)

    def wrapped(
        self,
        transformed: Function,
        gen: Function,
        static: tuple[Hashable, ...],
        *stores: _Store,
    ) -> WrappedFun:
        """Return the function with another transformation around it: of `gen` and its static arguments."""
        return WrappedFun(
            self.f,
            transformed,
            dict(self.params),
            self.debug_info,
            ((gen, static), *self.transforms),
            (*stores, *self.stores),
        )


def wrap_init(
    f: Function, params: Mapping[str, Value] | None = None, *, debug_info: object = None
) -> WrappedFun:
    """Return a function without transformations around it; `params` are keyword arguments of it.

    Example:
        >>> from treadle.extend import linear_util as lu
        >>> lu.wrap_init(lambda x: x + 1).call_wrapped(2)
        3
    """
    functions("wrap_init", f=f)
    params = dict(params or {})
    return WrappedFun(f, functools.partial(f, **params) if params else f, params, debug_info)


def _curried(function: Function) -> Function:
    """Return the function, which with one argument, or as a decorator, waits for the others."""

    @wraps(function)
    def called(gen: Function, *rest: Value, **options: Value) -> Value:
        functions(function.__name__, gen=gen)
        if rest:
            return function(gen, *rest, **options)
        return functools.partial(function, gen, **options)

    return called


@_curried
def transformation2(gen: Function, fun: WrappedFun, *static: Hashable) -> WrappedFun:
    """Return a function with a transformation around it: `gen(f, *static, *args, **kwargs)` returns the results.

    With `gen` alone, as a decorator, it waits for the function and the static arguments.
    """
    return fun.wrapped(functools.partial(gen, fun.f_transformed, *static), gen, static)


@_curried
def transformation_with_aux2(
    gen: Function, fun: WrappedFun, *static: Hashable, use_eq_store: bool = False
) -> tuple[WrappedFun, Callable[[], Value]]:
    """As `transformation2`, for `gen(f, store, *static, *args, **kwargs)`, which says more by `store.store(value)`."""
    kept = _Store()
    adapter = _StoreView(kept)
    transformed = functools.partial(gen, fun.f_transformed, adapter, *static)
    return fun.wrapped(transformed, gen, static, kept), kept.get


@final
class _StoreView:
    """What a generator of `transformation_with_aux2` writes to."""

    def __init__(self, kept: _Store) -> None:
        self._kept = kept

    def store(self, value: Value) -> None:
        """Store auxiliary output."""
        self._kept.put(value)


def _driven(
    gen: Callable[..., Generator[Value, Value, None]], f: Function, static: tuple[Hashable, ...]
) -> Function:
    """Run a function by a generator: it yields the arguments, is sent the results, and yields its own results.

    It is closed where the function raises, too: what it has entered, such as a trace, is left now, not once freed.
    """

    def call(*args: Value, **kwargs: Value) -> Value:
        steps = gen(*static, *args, **kwargs)
        try:
            inner_args, inner_kwargs = next(steps)
            return steps.send(f(*inner_args, **inner_kwargs))
        finally:
            steps.close()

    return call


@_curried
def transformation(gen: Function, fun: WrappedFun, *static: Hashable) -> WrappedFun:
    """Return a transformation by a generator: `gen(*static, *args)` yields `(args, kwargs)`, is sent results, yields
    results.

    With the generator alone, as a decorator, it waits for the function and the static arguments.
    """
    return fun.wrapped(_driven(gen, fun.f_transformed, static), gen, static)


@_curried
def transformation_with_aux(
    gen: Function, fun: WrappedFun, *static: Hashable, use_eq_store: bool = False
) -> tuple[WrappedFun, Callable[[], Value]]:
    """As `transformation`; the generator yields `(results, aux)`, and a function gives the latter afterwards."""
    kept = _Store()
    inner = _driven(gen, fun.f_transformed, static)

    def call(*args: Value, **kwargs: Value) -> Value:
        results, said = inner(*args, **kwargs)
        kept.put(said)
        return results

    return fun.wrapped(call, gen, static, kept), kept.get


@final
class _Cached:
    """A function of a `WrappedFun` and of arguments that can be hashed, which remembers what it returned."""

    def __init__(self, call: Callable[..., Value]) -> None:
        wraps(call)(self)
        self._call = call
        # By the wrapped function, as long as it lives: by all else, the result and the auxiliary output.
        self._known: weakref.WeakKeyDictionary[Function, dict[Hashable, tuple[Value, ...]]]
        self._known = weakref.WeakKeyDictionary()
        self._lock = fork_safe_lock()
        _remembering.add(self)

    def __call__(self, fun: WrappedFun, *args: Hashable) -> Value:
        key = (fun.transforms, fun.params, args, current_context())
        with self._lock:
            results = self._known.setdefault(fun.f, {})
            found = results.get(key)
        if found is None:
            result = self._call(fun, *args)
            found = (result, *[each.get() if each.has_run else each for each in fun.stores])
            with self._lock:
                results[key] = found
        for store, said in zip(fun.stores, found[1:], strict=True):
            if not isinstance(said, _Store):
                store.put(said)
        return found[0]

    def cache_clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._known.clear()

    def evict_function(self, f: Function) -> None:
        """Forget what is known of one function."""
        with self._lock:
            self._known.pop(f, None)


_remembering: Final[weakref.WeakSet[_Cached]] = weakref.WeakSet()


def _forget() -> None:
    for each in [*_remembering]:
        each.cache_clear()


also_clear("linear_util", _forget)


def cache(call: Callable[..., Value], *, explain: Function | None = None) -> _Cached:
    """Return the function, run once for a `WrappedFun`, further arguments and the settings in force.

    Functions are the same if they wrap the same one in the same transformations, with equal static arguments. The
    auxiliary output of a transformation is stored again. `clear_caches` and the result's `cache_clear` clear all
    entries; entries of a function are dropped with the function.

    Args:
        call: takes a `WrappedFun`, then what can be hashed.
        explain: JAX's, which it calls for its logs: taken, and never called.

    Raises:
        ArgumentError: `call` is not a function.

    Example:
        >>> from treadle.extend import linear_util as lu
        >>> @lu.cache
        ... def traced(fun, x):
        ...     print("tracing")
        ...     return fun.call_wrapped(x)
        >>> f = lambda x: x + 1
        >>> traced(lu.wrap_init(f), 2), traced(lu.wrap_init(f), 2)
        tracing
        (3, 3)
    """
    functions("cache", call=call, **({} if explain is None else {"explain": explain}))
    return _Cached(call)


def merge_linear_aux(aux1: Callable[[], Value], aux2: Callable[[], Value]) -> tuple[bool, Value]:
    """Return the auxiliary output of one of two transformations, and whether it was the first.

    Raises:
        StoreException: neither has run.
    """
    try:
        return True, aux1()
    except StoreException:
        return False, aux2()


boundaries(__name__)

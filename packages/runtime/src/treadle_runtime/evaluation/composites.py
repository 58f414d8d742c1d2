"""Fused functions: library functions that run as one generated function when nothing transforms them.

A library function with five operations costs five times the Python overhead of one operation. Here it is staged once
for each cache key (types and placements of arrays, values of other arguments, the context), and later calls run the
staged program: on small arrays as one generated function of the same NumPy kernels (`codegen`), with the same results
to the last bit; on large arrays, if it makes several passes over memory, as one program compiled by XLA. A function
with a loop is compiled from the first call on, at any size, since its loop is compiled anyway.

The choice depends on types and placements only, so repeated calls give the same results. On the CPU small arrays never
cause a compilation, and the first call with a new key of small arguments does not stage the function either. On an
accelerator, where each single operation would be compiled, all fused functions are compiled as one program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar, final

import numpy as np

from treadle_ir.core.dtypes import ExtendedDType
from treadle_ir.errors import import_module, is_users
from treadle_ir.settings import context_overrides, current_context, process_context
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.evaluation.limits import LARGE, is_large

T = TypeVar("T")

_LIMIT: Final = 4096
# Classes of immutable arguments, which are compared and hashed by value.
_STATIC: Final = frozenset(
    {bool, int, float, complex, str, type(None), type}
    | {np.dtype(letter).type for letter in "?bhilqBHILQefdFD"}
)


_UNKNOWN: Final = object()


@final
class Composites:
    """The plans of an evaluator."""

    __slots__ = ("_compiled", "_plans", "_seen_once")

    def __init__(self) -> None:
        # Plans of `evaluation/plans.py`, which is imported for the first of them; None: call the function itself.
        self._plans: dict[tuple[Any, ...], Any] = {}
        self._compiled: dict[tuple[Any, ...], None] = {}  # which of them may be run by XLA
        # Keys seen once, in a table of their own: many different numbers fill it without evicting plans.
        self._seen_once: set[tuple[Any, ...]] = set()

    def call(
        self,
        function: Callable[..., T],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        loops: bool = False,
        /,
    ) -> T:
        """Call `function`, and return its result; `loops` is whether it contains loops."""
        overrides = context_overrides.get()
        context = (process_context[0] if overrides is None else overrides.context()).key
        arrays: list[DeviceArray] = []
        parts: list[Any] = [function, context]
        if context.of_users:
            parts.append(is_users())
        for x in args:
            kind = x.__class__
            if kind is DeviceArray:
                parts.append(x.placed)
                arrays.append(x)
            elif not _describe(x, kind, parts, arrays):
                return function(*args, **kwargs)
        for name, x in kwargs.items():
            kind = x.__class__
            parts.append(name)
            if kind is DeviceArray:
                parts.append(x.placed)
                arrays.append(x)
            elif not _describe(x, kind, parts, arrays):
                return function(*args, **kwargs)
        key = tuple(parts)
        plan = self._plans.get(key, _UNKNOWN)
        if plan is None:
            return function(*args, **kwargs)
        if plan is _UNKNOWN:
            return self._warm_up(key, arrays, function, args, kwargs, loops)
        results = plan.run(*arrays)
        rebuild = plan.rebuild
        value: Any = results[0] if rebuild is None else rebuild(results)
        return value  # type: ignore[no-any-return]  # the function's result

    def clear(self) -> None:
        """Clear the caches of plans."""
        self._clear_plans()
        self._seen_once.clear()

    def _clear_plans(self) -> None:
        self._plans.clear()
        self._compiled.clear()

    def _warm_up(
        self,
        key: tuple[Any, ...],
        arrays: Sequence[DeviceArray],
        function: Callable[..., T],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        loops: bool,
    ) -> T:
        """Call the function for a key without a plan: itself the first time, then with a new plan.

        Functions that are compiled get their plan in the first call.
        """
        here = current_context()
        if here.instrumented:
            instrumented = import_module("treadle_runtime.evaluation.instrumented")
            checked: T = instrumented.call_composed(function, args, kwargs)
            return checked
        if here.is_op_by_op() or any([x.__treadle_mesh__() for x in arrays]):
            return function(*args, **kwargs)
        immediately = (
            loops
            or _of_many(key)
            or any([is_large(x) or not x.placed.placement.on_host for x in arrays])
        )
        value: Any = _UNKNOWN
        if not immediately and key not in self._seen_once:
            value = function(*args, **kwargs)
            if len(self._seen_once) >= _LIMIT:
                self._seen_once.clear()
            self._seen_once.add(key)  # afterwards: a call that is refused is never staged
            if not _has_large(value):
                return value  # type: ignore[no-any-return]  # the function's result
        if len(self._plans) >= _LIMIT:
            self._clear_plans()
        plans = import_module("treadle_runtime.evaluation.plans")
        plan = self._plans[key] = plans.planned(arrays, function, args, kwargs, loops)
        if plan is None:
            return function(*args, **kwargs) if value is _UNKNOWN else value
        if plan.compiles:
            keep_compiled(self._plans, self._compiled, key)
        results = plan.run(*arrays)
        rebuilt: T = results[0] if plan.rebuild is None else plan.rebuild(results)
        return rebuilt


def _of_many(key: tuple[Any, ...]) -> bool:
    """Return whether an integer among the arguments may be the size of a large result."""
    return any([part.__class__ is int and part > LARGE for part in key])


def _has_large(value: Any) -> bool:
    """Return whether a result, or one of several, is large: then the function is compiled from the first call on."""
    parts = value if value.__class__ is tuple or value.__class__ is list else (value,)
    return any([x.__class__ is DeviceArray and is_large(x) for x in parts])


def _describe(x: Any, kind: type, parts: list[Any], arrays: list[DeviceArray]) -> bool:
    """Add a non-array argument, and the arrays in it, to the key; return False if it cannot be part of a key."""
    if kind in _STATIC:
        # 0.0 == -0.0, and NaN != NaN: compare their text instead.
        parts.append(kind)
        parts.append(x if kind is int or kind is str or kind is bool else _exactly(x))
        return True
    if kind is tuple or kind is list:
        parts.append(kind)
        parts.append(len(x))
        for each in x:
            inner = each.__class__
            if inner is DeviceArray:
                parts.append(each.placed)
                arrays.append(each)
            elif inner in _STATIC:
                parts.append(inner)
                parts.append(_exactly(each))
            else:
                return False
        return True
    if isinstance(x, (np.dtype, ExtendedDType)):
        parts.append(x)
        return True
    return False


def _exactly(x: Any) -> Any:
    """Return an object that is equal for identical values only."""
    return x if x is None or isinstance(x, type) else repr(x)


Key: TypeAlias = tuple[Any, ...]

MOST_COMPILED: Final = 1024
"""The most entries with compiled programs in one cache."""


def keep_compiled(table: dict[Key, Any], compiled: dict[Key, None], key: Key) -> None:
    """Record that the entry `key` of `table` holds a compiled program, and evict the oldest such entries beyond the
    bound.

    Other threads may change both dictionaries concurrently.

    Args:
        table: the cache.
        compiled: the keys of its entries with compiled programs, the oldest first.
        key: the key of the new entry.
    """
    compiled[key] = None
    excess = len(compiled) - MOST_COMPILED
    if excess > 0:
        for oldest in [*compiled][:excess]:
            compiled.pop(oldest, None)
            table.pop(oldest, None)

"""Composed functions, run as a whole where nothing transforms them.

A function of the library that makes five operations costs five times the Python around an operation. Here it is staged
once for each kind of arguments - types and places of arrays, values of everything else, the context - and later calls
run what was staged: on small arrays the same NumPy kernels in a row (`straight_line`), with the same results to the
last bit; on large ones, where it makes several passes over the elements, one program compiled by XLA. A function with a
loop is such a program from the first call on, at any size, since its loop is compiled anyway.

Which of them it is depends on types and places alone, so a call gives the same each time. On the CPU small arrays never
cause a compilation, and a function that is called once with some kind of small arguments is not staged for it either.
On an accelerator, where each single operation would be compiled, all of them are compiled as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, final

import numpy as np

from treadle_ir import (
    context_overrides,
    current_context,
    import_module,
    is_users,
    process_context,
)
from treadle_ir.dtypes import ExtendedDType
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.evaluation.compiled_entries import keep_compiled

T = TypeVar("T")

_LIMIT: Final = 4096
LARGE: Final = 1 << 17  # elements of an operand or a result above which a function may be compiled
# Values that say what to do: they are compared and hashed by what they are, and cannot change.
_STATIC: Final = frozenset(
    {bool, int, float, complex, str, type(None), type}
    | {np.dtype(letter).type for letter in "?bhilqBHILQefdFD"}
)


_UNKNOWN: Final = object()


@final
class Composites:
    """The plans of an evaluator."""

    __slots__ = ("_compiled", "_met", "_plans")

    def __init__(self) -> None:
        # Plans of `evaluation/plans.py`, which is imported for the first of them; None: run the function itself.
        self._plans: dict[tuple[Any, ...], Any] = {}
        self._compiled: dict[tuple[Any, ...], None] = {}  # which of them may be run by XLA
        # What was met once. Apart, since numbers that are never the same fill it: plans are not lost by that.
        self._met: set[tuple[Any, ...]] = set()

    def call(
        self,
        function: Callable[..., T],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        loops: bool = False,
        /,
    ) -> T:
        """What the function returns; `loops`, if it has loops."""
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
            return self._meet(key, arrays, function, args, kwargs, loops)
        results = plan.run(*arrays)
        rebuild = plan.rebuild
        value: Any = results[0] if rebuild is None else rebuild(results)
        return value  # type: ignore[no-any-return]  # what the function would have returned

    def clear(self) -> None:
        """Forget all plans."""
        self._forget_plans()
        self._met.clear()

    def _forget_plans(self) -> None:
        self._plans.clear()
        self._compiled.clear()

    def _meet(
        self,
        key: tuple[Any, ...],
        arrays: Sequence[DeviceArray],
        function: Callable[..., T],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        loops: bool,
    ) -> T:
        """The first calls with a kind of arguments: the function itself, then a plan; at once where it is compiled."""
        here = current_context()
        if here.watched:
            watched = import_module("treadle_runtime.evaluation.watched")
            looked_at: T = watched.as_a_whole(function, args, kwargs)
            return looked_at
        if here.is_stepwise() or any([x.__treadle_mesh__() for x in arrays]):
            return function(*args, **kwargs)
        at_once = (
            loops
            or _of_many(key)
            or any([is_large(x) or not x.placed.placement.on_host for x in arrays])
        )
        value: Any = _UNKNOWN
        if not at_once and key not in self._met:
            value = function(*args, **kwargs)
            if len(self._met) >= _LIMIT:
                self._met.clear()
            self._met.add(key)  # not before: what is refused is never staged
            if not _has_large(value):
                return value  # type: ignore[no-any-return]  # what the function returned
        if len(self._plans) >= _LIMIT:
            self._forget_plans()
        plans = import_module("treadle_runtime.evaluation.plans")
        plan = self._plans[key] = plans.planned(arrays, function, args, kwargs, loops)
        if plan is None:
            return function(*args, **kwargs) if value is _UNKNOWN else value
        if plan.compiles:
            keep_compiled(self._plans, self._compiled, key)
        results = plan.run(*arrays)
        whole: T = results[0] if plan.rebuild is None else plan.rebuild(results)
        return whole


def _of_many(key: tuple[Any, ...]) -> bool:
    """Whether a number among the arguments may be that of the elements of a large result."""
    return any([part.__class__ is int and part > LARGE for part in key])


def _has_large(value: Any) -> bool:
    """Whether a result, or one of several, is large: then the function is compiled, from the first call on."""
    parts = value if value.__class__ is tuple or value.__class__ is list else (value,)
    return any([x.__class__ is DeviceArray and is_large(x) for x in parts])


def _describe(x: Any, kind: type, parts: list[Any], arrays: list[DeviceArray]) -> bool:
    """Add an argument that is no array to the key, and the arrays in it; False if it has no place there."""
    if kind in _STATIC:
        # 0.0 == -0.0, and NaN is not itself: as text they are what they are.
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
    """What is equal for equal values alone."""
    return x if x is None or isinstance(x, type) else repr(x)


def is_large(x: DeviceArray) -> bool:
    """Whether an array is so large that a function of it may be compiled."""
    return x.placed.type.size > LARGE

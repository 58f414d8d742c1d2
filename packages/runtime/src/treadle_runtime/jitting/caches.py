"""The cache of a jitted function with one set of options: its programs and its compiled calls.

A `FunctionCache` is an attribute of the function, so that both are released together, also if a program refers back to
the function. All jitted versions of a function with equal options share it, as in `jit(f)(x)` in a loop. Other
callables, which get no attribute, share a small table of recent caches. The cache is bounded: the oldest signature is
evicted.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from treadle_ir.process import fork_safe_lock
from treadle_ir.tracing import Signature
from treadle_runtime.jitting.compiled_call import CompiledCall
from treadle_runtime.jitting.miss import FastCall, no_fast_call
from treadle_runtime.jitting.once import OncePerKey
from treadle_runtime.jitting.options import JitOptions
from treadle_runtime.jitting.statics import Identity, Key, holds_dead
from treadle_runtime.jitting.traced import Timing, Traced

if TYPE_CHECKING:
    from treadle_runtime.jitting.dispatch import Dispatcher

V = TypeVar("V")

MOST_SIGNATURES: Final = 1024
"""The bound on signatures of one function with one set of options."""


@final
class FunctionCache:
    """The programs and the compiled calls of one function with one set of options."""

    __slots__ = (
        "__weakref__",
        "_has_dead",
        "calls",
        "compiling",
        "dispatcher",
        "fast",
        "timings",
        "traces",
        "tracing",
    )

    def __init__(self) -> None:
        # By signatures, or plain tuples that are equal to them.
        self.traces: dict[Key, Traced] = {}
        self.calls: dict[Key, CompiledCall] = {}  # types with their placements
        self.fast: FastCall = no_fast_call  # serves calls of known kinds
        self.dispatcher: Dispatcher | None = None  # of a function that has been called twice
        self.timings: deque[Timing] = deque(maxlen=MOST_SIGNATURES)
        self.tracing: Final = OncePerKey()
        self.compiling: Final = OncePerKey()
        self._has_dead = False

    def keep(self, table: dict[Key, V], key: Signature, value: V) -> None:
        """Put a value into one of the tables. Loops are over copies, since other threads may add values."""
        if self._has_dead:
            self._has_dead = False
            for each in (self.traces, self.calls):
                for known in [*each]:
                    if holds_dead(known):
                        each.pop(known, None)
        if len(table) >= MOST_SIGNATURES:
            for oldest in [*table][: 1 - MOST_SIGNATURES]:
                table.pop(oldest, None)
        table[key] = value

    def gone(self, reference: object) -> None:
        """Note that a static value in a key has died: its signatures are removed when the next one is added."""
        self._has_dead = True

    def clear(self) -> None:
        """Clear the cache."""
        self.fast = no_fast_call
        self.dispatcher = None
        self.traces.clear()
        self.calls.clear()
        self.timings.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionCache, ()  # pickling a function by value does not include its cache

    def __deepcopy__(self, memo: object) -> FunctionCache:
        return FunctionCache()


_ATTRIBUTE: Final = "__treadle_jit__"


@final
class _Owned:
    """The caches of one function, with their owner, since `functools.wraps` copies attributes to other functions."""

    __slots__ = ("by_options", "owner")

    def __init__(self, owner: Callable[..., Any]) -> None:
        self.owner = weakref.ref(owner)
        self.by_options: dict[JitOptions, FunctionCache] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _nothing, ()

    def __deepcopy__(self, memo: object) -> None:
        return None


def _nothing() -> None:
    """Return None, to which the caches of a pickled function are unpickled."""


def cache_of(function: Callable[..., Any], options: JitOptions) -> FunctionCache:
    """Return the cache of a function with these options; a new one if the function cannot hold it.

    Caches are not shared if arguments are donated: each jitted version warns of unusable donations.
    """
    donates = options.split.donate_argnums or options.split.donate_argnames
    if donates:
        return FunctionCache()
    try:
        own: dict[str, Any] = getattr(function, "__dict__", {})
        # A wrapper made by `functools.wraps` holds its caches like a function.
        # A bound method shows the attributes of its function, and cannot have its own.
        stands = "__wrapped__" in own and type(function) is not MethodType
        if type(function) is not FunctionType and not stands:
            return _recent_cache(function, options)
        owned = own.get(_ATTRIBUTE)
        if not isinstance(owned, _Owned) or owned.owner() is not function:
            owned = _Owned(function)
            setattr(function, _ATTRIBUTE, owned)
        return owned.by_options.setdefault(options, FunctionCache())
    except TypeError:
        # It does not support weak references; or an option is not hashable, which raises an error when compiling.
        return FunctionCache()


def _recent_cache(function: Callable[..., Any], options: JitOptions) -> FunctionCache:
    """Return the cache of a callable object, from the table of recent caches."""
    key = (Identity(function), options)
    with _lock:
        found = _recent.pop(key, None) or FunctionCache()
        while len(_recent) >= _MOST_RECENT:
            del _recent[next(iter(_recent))]
        _recent[key] = found
    return found


_MOST_RECENT: Final = 64
# Bounded, since a cache may refer to its object, and would then keep it alive.
_recent: Final[dict[tuple[Identity, JitOptions], FunctionCache]] = {}
_lock: Final = fork_safe_lock()

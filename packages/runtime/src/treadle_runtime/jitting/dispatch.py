"""From a call to its fast path, for functions that are called with arguments of several kinds.

A function with one signature is served by the fast path of that signature alone. From the second signature on, calls
are served by a dispatcher: it looks up the fast paths that may serve a call by the *outline* of its arguments, which is
quick to compute - the type and placement of an array, the value of a static argument, the class and size of a
container and the outline of its first element - and tries them. Fast paths check everything, so an outline only has to
be the same for calls that are alike; the more it distinguishes, the fewer fast paths are tried.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, Final, final

from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.jitting.miss import MISS, FastCall

MOST_OUTLINES: Final = 1024
MOST_ALIKE: Final = 16  # fast paths for calls with equal outlines
_PLAIN: Final = frozenset({bool, int, float, str, bytes, type(None)})
_MOST_DEPTH: Final = 4  # of containers that are opened


@final
class Dispatcher:
    """The fast paths of a function by the outlines of calls."""

    __slots__ = ("_by_outline", "_count", "_static_names", "_static_numbers")

    def __init__(self) -> None:
        self._by_outline: dict[Hashable, tuple[FastCall, ...]] = {}
        self._count = 0
        self._static_numbers: Collection[int] = ()
        self._static_names: Collection[str] = ()

    def serving(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        fast: FastCall,
        static_numbers: Collection[int],
        static_names: Collection[str],
    ) -> FastCall:
        """Return the function that serves calls, now that a call has another fast path. Any: arguments of users.

        Args:
            args: the positional arguments of the call.
            kwargs: its keyword arguments.
            fast: its fast path.
            static_numbers: the positions of static arguments.
            static_names: the names of static arguments.
        """
        self._static_numbers, self._static_names = static_numbers, static_names
        outline = self._outline(args, kwargs)
        known = self._by_outline.get(outline, ())
        if fast not in known:
            if len(self._by_outline) >= MOST_OUTLINES:
                self._by_outline.clear()
                self._count = 0
            self._by_outline[outline] = (fast, *known[: MOST_ALIKE - 1])
            self._count += 1
        return fast if self._count == 1 else self._dispatching()

    def clear(self) -> None:
        """Forget all fast paths."""
        self._by_outline.clear()
        self._count = 0

    def _outline(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
        """Return the outline of a call. Any: arguments of users."""
        numbers, names = self._static_numbers, self._static_names
        outlines: list[Hashable] = [
            x.placed
            if x.__class__ is DeviceArray
            else (x if i in numbers and x.__class__ in _PLAIN else outline_of(x))
            for i, x in enumerate(args)
        ]
        for name, x in kwargs.items():
            outlines.append(name)
            outlines.append(x if name in names and x.__class__ in _PLAIN else outline_of(x))
        return tuple(outlines)

    def _dispatching(self) -> FastCall:
        """Return the function that looks up the fast path of a call."""
        get, numbers, outline_of_call = self._by_outline.get, self._static_numbers, self._outline

        def dispatch(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            outline: Hashable
            if kwargs:
                outline = outline_of_call(args, kwargs)
            else:  # as there, without another call
                outline = (
                    *[
                        x.placed
                        if x.__class__ is DeviceArray
                        else (x if i in numbers and x.__class__ in _PLAIN else outline_of(x))
                        for i, x in enumerate(args)
                    ],
                )
            for fast in get(outline, ()):
                result = fast(args, kwargs)
                if result is not MISS:
                    return result
            return MISS

        return dispatch


def outline_of(tree: Any) -> Hashable:
    """Return the outline of an argument: its type and placement, or its class, its size, and its first element's.

    Args:
        tree: an argument. Any: a pytree of a user.
    """
    found: list[Hashable] = []
    for _ in range(_MOST_DEPTH):
        kind = tree.__class__
        if kind is DeviceArray:
            found.append(tree.placed)
            break
        found.append(kind)
        if kind is dict:
            found.append(len(tree))
            if not tree:
                break
            tree = next(iter(tree.values()))
        elif kind is tuple or kind is list:
            found.append(len(tree))
            if not tree:
                break
            tree = tree[0]
        else:
            break
    return tuple(found)

"""Explanations of cache misses: how a call of a jitted function differs from previous calls.

`explain_cache_misses` logs them as warnings; otherwise they are logged at level DEBUG. Listeners to events get the same
as data: the `Request` of an event.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from treadle_ir.errors import capture, shown, source
from treadle_ir.events import Request, listeners, say, wanted
from treadle_ir.settings import EXPLAIN_CACHE_MISSES
from treadle_ir.tracing import (
    Difference,
    Signature,
    difference,
    nearest,
    only_compiles,
    positional_names,
)
from treadle_ir.tree import explain_difference
from treadle_runtime.jitting.statics import Identity, Key

_MOST = 5  # arguments that are listed


def logs_misses() -> bool:
    """Return whether an explanation would be logged."""
    return wanted(EXPLAIN_CACHE_MISSES())


def request_of(
    known: Iterable[Key], function: Callable[..., Any], name: str, signature: Signature
) -> Request | None:
    """Return a call that missed a cache, for events and explanations; None if nothing listens and nothing is logged.

    Args:
        known: the signatures in the cache, in the order in which they came.
        function: the user's function. Any: its arguments and results.
        name: its name.
        signature: the signature of the call.
    """
    if not listeners and not logs_misses():
        return None
    signatures = [each for each in [*known] if isinstance(each, Signature)]
    return Request(name, function, signature, nearest(signature, signatures), capture())


def explain(request: Request) -> None:
    """Log the reason why there is no program for a call, if that is asked for."""
    if not logs_misses():
        return
    lines = [_head("TRACING", request)]
    if request.nearest is None:
        lines.append(f"  never traced before: {request.name}{_where(request.function)}")
        lines.append(
            "  (a function that is defined again, in a loop or in another function, is a new function each time)"
        )
    else:
        lines += [f"  {line}" for line in _texts(request)]
    say("\n".join(lines), loudly=EXPLAIN_CACHE_MISSES())


def explain_compilation(request: Request) -> None:
    """Log the reason why a staged function is compiled again, if that is asked for.

    Nothing is logged for a function that has to be traced as well: `explain` does that.
    """
    if logs_misses() and only_compiles(request.signature, request.nearest):
        lines = [_head("COMPILATION", request), *[f"  {line}" for line in _texts(request)]]
        say("\n".join(lines), loudly=EXPLAIN_CACHE_MISSES())


def _head(what: str, request: Request) -> str:
    where = source.user_location() or "an unknown place"
    return f"{what} CACHE MISS at {where}: {request.name}"


def _where(function: Callable[..., Any]) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else f", of {code.co_filename}:{code.co_firstlineno}"


def _texts(request: Request) -> Iterator[str]:
    """Yield the differences of a call from the most similar one in words."""
    now, before = request.signature, request.nearest
    assert before is not None, "there is something to differ from"
    found = difference(now, before)
    names = positional_names(request.function)
    for each in found:
        if each.cause == "context":
            for line in each.now.differences(each.before):
                yield f"the context differs: {line}"
    if any([each.cause == "static" for each in found]):
        statics = [_statics(signature, names) for signature in (now, before)]
        yield f"static arguments differ: {statics[0]} now, {statics[1]} before"
    for each in found:
        if each.cause == "structure":
            for line in explain_difference(each.now, each.before):
                yield f"the arguments have a different structure: {line}"
        elif each.cause == "varying":
            yield "the arguments vary over different axes of the enclosing shard_map"
        elif each.cause == "sharding":
            yield "the arguments have different shardings over explicit axes of the mesh"
    yield from _of_arguments([x for x in found if x.cause == "type"], now.paths(names), "type")
    placed = [x for x in found if x.cause == "placement"]
    yield from _of_arguments(placed, now.paths(names), "placement")


def _of_arguments(found: Sequence[Difference], paths: Sequence[str], what: str) -> Iterator[str]:
    """Yield the types, or the placements, of the first arguments that differ."""
    for each in found[:_MOST]:
        weakly = _weakly(each.now, each.before) if what == "type" else ""
        yield f"{paths[each.index]} has a different {what}: {each.now} now, {each.before} before{weakly}"
    if len(found) > _MOST:
        yield f"and {len(found) - _MOST} more arguments have different {what}s"


def _weakly(now: Any, before: Any) -> str:
    if now.strong() is before.strong():
        return " (one is a Python number, or computed from one: `*` marks its weak type)"
    return ""


def _statics(signature: Signature, names: Sequence[str]) -> str:
    pairs = zip(signature.static_names(names), signature.static_values(), strict=True)
    return ", ".join([f"{name} = {_value(value)}" for name, value in pairs]) or "none"


def _value(key: Any) -> str:  # Any: the part of a key for a value, often its class and itself
    if isinstance(key, Identity):
        return (
            "an object that is gone"
            if key.is_dead
            else f"{shown(key.value)}, which equals itself only"
        )
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], type):
        return shown(key[1])
    return shown(key)

"""Explanations of cache misses: how a call of a jitted function differs from previous calls.

`explain_cache_misses` logs them as warnings; otherwise they are logged at level DEBUG.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from treadle_ir import ArrayType
from treadle_ir.core import INVARIANT, Varying
from treadle_ir.errors import shown, source
from treadle_ir.events import say, wanted
from treadle_ir.settings import EXPLAIN_CACHE_MISSES, Context
from treadle_ir.tracing import Arguments, positional_names
from treadle_ir.tree import explain_difference
from treadle_runtime.jitting.caches import FunctionCache
from treadle_runtime.jitting.statics import Identity, Key
from treadle_runtime.placement.placement import PlacedType

_MOST = 5  # arguments that are listed


def logs_misses() -> bool:
    """Return whether an explanation would be logged."""
    return wanted(EXPLAIN_CACHE_MISSES())


def explain(
    cache: FunctionCache,
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    key: Key,
) -> None:
    """Log the reason why there is no program for this call."""
    lines = [f"TRACING CACHE MISS at {source.user_location() or 'an unknown place'}: {name}"]
    known = [*cache.traces]
    if not known:
        lines.append(f"  never traced before: {name}{_where(function)}")
        lines.append(
            "  (a function that is defined again, in a loop or in another function, is a new function each time)"
        )
    else:
        names = positional_names(function)
        # Of equally similar calls the last: `known` is in the order of calls.
        found = [_differences(other, key, arguments, names) for other in reversed(known)]
        lines += [f"  {line}" for line in min(found, key=len)]
    say("\n".join(lines), loudly=EXPLAIN_CACHE_MISSES())


def explain_placement(
    cache: FunctionCache,
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    key: Key,
) -> None:
    """Log the reason why a staged function is compiled again: the placement of an argument has changed."""
    context, structure, statics, *placed = key
    types = [_placed(x).type for x in placed]
    for other in reversed([*cache.calls]):
        *others, statics_before = other[:3]
        before = other[3:]
        if others != [context, structure] or statics_before != statics:
            continue
        if [_placed(x).type for x in before] != types:
            continue
        lines = [
            f"COMPILATION CACHE MISS at {source.user_location() or 'an unknown place'}: {name}"
        ]
        paths = arguments.paths(positional_names(function))
        different = [i for i, x in enumerate(placed) if x is not before[i]]
        for i in different[:_MOST]:
            now, was = _placed(placed[i]).placement, _placed(before[i]).placement
            lines.append(f"  {paths[i]} has a different placement: {now!r} now, {was!r} before")
        if len(different) > _MOST:
            lines.append(f"  and {len(different) - _MOST} more arguments have different placements")
        say("\n".join(lines), loudly=EXPLAIN_CACHE_MISSES())
        return


def _placed(part: object) -> PlacedType:
    """Return a part of a key that is the type and placement of an argument."""
    assert isinstance(part, PlacedType)
    return part


def _where(function: Callable[..., Any]) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else f", of {code.co_filename}:{code.co_firstlineno}"


def _differences(other: Key, key: Key, arguments: Arguments, names: Sequence[str]) -> list[str]:
    """Return the differences of two keys in words: context, structure, static values, types."""
    before, structure_before, statics_before, *types_before = other
    now, structure, statics, *types = key
    lines: list[str] = []
    if before is not now:
        assert isinstance(before, Context)
        assert isinstance(now, Context)
        lines += [f"the context differs: {line}" for line in now.differences(before)]
    if statics_before != statics:
        lines.append(
            f"static arguments differ: {_statics(statics, names)} now, {_statics(statics_before, names)} before"
        )
    if structure_before != structure:
        lines += [
            f"the arguments have a different structure: {line}"
            for line in explain_difference(structure, structure_before)  # type: ignore[arg-type]  # as keys have it
        ]
        return lines
    different = [
        i for i, pair in enumerate(zip(types, types_before, strict=True)) if pair[0] is not pair[1]
    ]
    if any([_varying(types[i]) != _varying(types_before[i]) for i in different]):
        lines.append("the arguments vary over different axes of the enclosing shard_map")
        different = [
            i for i in different if _invariant(types[i]) is not _invariant(types_before[i])
        ]
    resharded = [i for i in different if _plain(types[i]) is _plain(types_before[i])]
    if resharded:
        lines.append("the arguments have different shardings over explicit axes of the mesh")
        different = [i for i in different if i not in resharded]
    paths = arguments.paths(names) if different else []
    for index in different[:_MOST]:
        now_type, before_type = types[index], types_before[index]
        lines.append(
            f"{paths[index]} has a different type: {now_type} now, {before_type} before{_weakly(now_type, before_type)}"
        )
    if len(different) > _MOST:
        lines.append(f"and {len(different) - _MOST} more arguments have different types")
    return lines


def _plain(type: object) -> object:
    return type.plain if isinstance(type, ArrayType) else type


def _varying(type: object) -> Varying:
    return type.varying if isinstance(type, ArrayType) else INVARIANT


def _invariant(type: object) -> object:
    return type.with_varying(INVARIANT) if isinstance(type, ArrayType) else type


def _weakly(now: Any, before: Any) -> str:
    if now.strong() is before.strong():
        return " (one is a Python number, or computed from one: `*` marks its weak type)"
    return ""


def _statics(statics: Any, names: Sequence[str]) -> str:  # Any: a key of static values
    if statics is None:
        return "none"
    numbers, values, keywords, named = statics
    labels = [names[i] if i < len(names) else f"argument {i}" for i in numbers]
    shown_values = [
        f"{label} = {_value(value)}" for label, value in zip(labels, values, strict=True)
    ]
    shown_values += [
        f"{name} = {_value(value)}" for name, value in zip(keywords, named, strict=True)
    ]
    return ", ".join(shown_values) or "none"


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

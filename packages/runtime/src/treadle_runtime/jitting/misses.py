"""Why a jitted function is staged again, in words: what differs from the calls before.

`explain_cache_misses` logs it as a warning; else it is there at level DEBUG.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from treadle_ir import Arguments, Context, shown, source
from treadle_ir.logs import say, wanted
from treadle_ir.settings import EXPLAIN_CACHE_MISSES
from treadle_ir.tree import explain_difference
from treadle_runtime.jitting.caches import FunctionCache
from treadle_runtime.jitting.statics import Key

_MOST = 5  # arguments that are told of


def logs_misses() -> bool:
    """Whether an explanation would be seen."""
    return wanted(EXPLAIN_CACHE_MISSES())


def explain(
    cache: FunctionCache,
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    key: Key,
) -> None:
    """Log why there is no program for this call."""
    lines = [f"TRACING CACHE MISS at {source.user_location() or 'an unknown place'}: {name}"]
    known = [*cache.traces]
    if not known:
        lines.append(f"  never traced before: {name}{_where(function)}")
        lines.append(
            "  (a function that is defined anew, in a loop or in another function, is a new one each time)"
        )
    else:
        nearest = min(known, key=lambda other: len(_differences(other, key, arguments)))
        lines += [f"  {line}" for line in _differences(nearest, key, arguments)]
    say("\n".join(lines), loudly=EXPLAIN_CACHE_MISSES())


def _where(function: Callable[..., Any]) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else f", of {code.co_filename}:{code.co_firstlineno}"


def _differences(other: Key, key: Key, arguments: Arguments) -> list[str]:
    """What is different in two keys: context, structure, static values, types."""
    before, structure_before, statics_before, varied, lay, *types_before = other
    now, structure, statics, varies, layouts, *types = key
    lines: list[str] = []
    if before is not now:
        assert isinstance(before, Context)
        assert isinstance(now, Context)
        lines += [f"the context differs: {line}" for line in now.differences(before)]
    if statics_before != statics:
        lines.append(
            f"static arguments differ: {_statics(statics)} now, {_statics(statics_before)} before"
        )
    if varied != varies:
        lines.append("the arguments vary over other axes of the shard_map around the call")
    if lay != layouts:
        lines.append("the arguments lie otherwise over explicit axes of the mesh")
    if structure_before != structure:
        lines += [
            f"the arguments have another structure: {line}"
            for line in explain_difference(structure, structure_before)  # type: ignore[arg-type]  # as keys have it
        ]
        return lines
    different = [
        i for i, pair in enumerate(zip(types, types_before, strict=True)) if pair[0] is not pair[1]
    ]
    paths = arguments.paths() if different else []
    for index in different[:_MOST]:
        now_type, before_type = types[index], types_before[index]
        lines.append(
            f"{paths[index]} has another type: {now_type} now, {before_type} before{_weakly(now_type, before_type)}"
        )
    if len(different) > _MOST:
        lines.append(f"and {len(different) - _MOST} more arguments have other types")
    return lines


def _weakly(now: Any, before: Any) -> str:
    if now.strong() is before.strong():
        return " (one is a Python number, or made of one: `*` marks its weak type)"
    return ""


def _statics(statics: Any) -> str:  # Any: a key of static values
    if statics is None:
        return "none"
    numbers, values, names, named = statics
    said = [f"argument {i} = {_value(value)}" for i, value in zip(numbers, values, strict=True)]
    said += [f"{name} = {_value(value)}" for name, value in zip(names, named, strict=True)]
    return ", ".join(said) or "none"


def _value(key: Any) -> str:  # Any: what stands for a value in a key: often its class and itself
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], type):
        return shown(key[1])
    return shown(key)

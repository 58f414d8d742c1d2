"""Advice: findings that are reported unasked, to the logger `treadle.advice`, where the user has already lost time.

The core asks for it (`treadle_runtime.jitting.advice`) where tracing or compiling has cost a second that could have
been saved. Each place is advised on once. The setting `advice` (TREADLE_ADVICE) switches it off, turns it into errors,
or adds what `watch` finds.
"""

from __future__ import annotations

import atexit
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from treadle_insight.finding import Cost, Finding, seconds_text
from treadle_insight.looks.misses import Definition, Miss, explained, place_of_definition
from treadle_insight.looks.recompile import findings_of
from treadle_insight.place import Place
from treadle_insight.subject import Subject
from treadle_insight.watching import watch
from treadle_ir import Program
from treadle_ir.errors import NOWHERE, Source, capture, module_or_none
from treadle_ir.process import fork_safe_lock
from treadle_ir.rewrite import inline
from treadle_ir.settings import ADVICE
from treadle_ir.tracing import Signature, nearest
from treadle_runtime import FunctionCache, Lost

LOGGER: Final = "treadle.advice"
BETWEEN: Final = 1.0
"""Seconds between two looks at the findings of `watch`, where all of them are reported."""

_said: Final[set[tuple[str, str, int]]] = set()  # kinds and places
_MOST_SAID: Final = 4096
_MOST_COMPARED: Final = 32  # signatures of a function, each with the ones before it
_watching: Final[list[tuple[watch, float]]] = []  # at most one, and when it was last looked at
_lock: Final = fork_safe_lock()


class AdviceError(RuntimeError):
    """Advice as an error: the setting `advice` is `error`."""


def say(found: Iterable[Finding]) -> None:
    """Report findings that have not been reported for their place, as the setting demands.

    Args:
        found: the findings.

    Raises:
        AdviceError: the setting is `error`, and there is a new finding.
    """
    for finding in found:
        place = finding.place
        if _is_new(finding.kind, place):
            _speak(str(finding))


def _is_new(kind: str, place: Place | None) -> bool:
    """Return whether a kind has not been reported for a place; it has been from now on."""
    key = (kind, "", 0) if place is None else (kind, place.file, place.line)
    with _lock:
        if key in _said:
            return False
        if len(_said) >= _MOST_SAID:
            _said.clear()
        _said.add(key)
    return True


def _speak(text: str) -> None:
    wanted = ADVICE()
    if wanted == "error":
        raise AdviceError(text)
    if wanted != "off":
        logging.getLogger(LOGGER).warning(text)


def retraced(function: Callable[..., Any], name: str, cache: FunctionCache, lost: Lost) -> None:
    """Advise on a function that is traced again and again.

    Args:
        function: the user's function. Any: its arguments and results.
        name: its name.
        cache: its programs, for the reasons.
        lost: what this has cost.

    Raises:
        AdviceError: see `say`.
    """
    place = Place.of(capture())
    signatures = [each for each in [*cache.traces] if isinstance(each, Signature)][-_MOST_COMPARED:]
    misses = [
        explained(signature, nearest(signature, signatures[:number]), function, place)
        for number, signature in enumerate(signatures)
    ]
    if len(signatures) <= 1:  # a function that is defined again has a new cache
        misses = [Miss("", "", "", "", None, place, program=0) for _ in range(lost.traces)]
    for miss in misses:
        miss.seconds = (lost.traced + lost.compiled) / max(len(misses), 1)
    found = [*findings_of(Definition(name, place_of_definition(function), misses))]
    say(sorted(found, key=lambda each: -each.cost.weight)[:1])


def compiled(program: Program, name: str, seconds: float) -> None:
    """Advise on a program that took long to compile: on the loops that were unrolled in it.

    Args:
        program: what was compiled.
        name: the name of its function.
        seconds: how long that took.

    Raises:
        AdviceError: see `say`.
    """
    say(
        [
            replace(
                finding,
                why=(*finding.why, f"{name} took {seconds_text(seconds)} to compile."),
                cost=Cost(seconds=seconds),
            )
            for finding in _loops(program, name)[:1]
        ]
    )


def _loops(program: Program, name: str) -> list[Finding]:
    """Return the findings on loops in a program, the most costly first."""
    loops = module_or_none("treadle_insight.looks.loops")
    found = [] if loops is None else loops.look(Subject.of_program(program, name))
    return sorted(found, key=lambda each: -each.cost.weight)


def running(program: Program, name: str, seconds: float) -> None:
    """Announce that a program is still being compiled, and its size.

    Args:
        program: what is compiled.
        name: the name of its function.
        seconds: how long it has been compiled so far.
    """
    flat = inline(program)
    count = len(flat.equations)
    text = f"still compiling {name} after {seconds_text(seconds)}: {count:,} operations"
    copies, share, place = copies_in(flat)
    if copies > 1:
        text += f", of which {100 * share:.0f} % are {copies:,} copies of {place}"
    if ADVICE() != "off" and _is_new("running", place):
        logging.getLogger(LOGGER).warning(text)


def copies_in(program: Program) -> tuple[int, float, Place]:
    """Return of how many copies of the same operations most of a program consists, their share, and a place of theirs.

    Args:
        program: the program, with its calls inlined.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> def f(x):
        ...     for _ in range(12):
        ...         x = ops.sine(x)
        ...     return [x]
        >>> copies_in(stage(f, ArrayType((), np.dtype("f4"))).program)[:2]
        (12, 1.0)
    """
    sources: dict[tuple[object, ...], Source] = {}
    groups: Counter[tuple[object, ...]] = Counter()
    for equation in program.equations:
        source = equation.source
        key = (source.code, source.offset, type(equation.primitive))
        groups[key] += 1
        sources.setdefault(key, source)
    by_count: Counter[int] = Counter()
    for count in groups.values():
        by_count[count] += count
    if not by_count:
        return 0, 0.0, Place.of(NOWHERE)
    copies, together = by_count.most_common(1)[0]
    first = next(key for key, count in groups.items() if count == copies)
    return copies, together / len(program.equations), Place.of(sources[first])


def watch_all() -> None:
    """Watch the process from now on, and report new findings, at most once in a second."""
    if not _watching:
        new = watch()
        with _lock:
            if _watching:
                return
            _watching.append((new, time.monotonic()))
        new.__enter__()
        atexit.register(say_all)
        return
    watching, last = _watching[0]
    if time.monotonic() - last >= BETWEEN:
        _watching[0] = (watching, time.monotonic())
        say_all()


def say_all() -> None:
    """Report the new findings of the watch of the process."""
    for watching, _ in [*_watching]:
        say(watching.findings())

"""Python loops that ran while a function was traced, so that each iteration is a part of its program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from treadle_insight.finding import Cost, Finding
from treadle_insight.kinds import Kind
from treadle_insight.rolled import fix_of
from treadle_insight.subject import Subject
from treadle_insight.unrolled import UnrolledLoop, loops_of

KINDS: Final = (
    Kind(
        "loop.unrolled",
        "A Python loop ran while a function was traced: each of its iterations is a part of the program, which takes "
        "long to trace and to compile.",
        topic="Why does compiling take so long?",
        wrong="""\
import treadle
import treadle.numpy as tnp

def settle(x):
    for i in range(300):
        x = x + tnp.sin(x) / 2
    return x

report = treadle.explain(settle)(tnp.ones(3))
""",
        right="""\
import treadle
import treadle.numpy as tnp

def settle(x):
    def body(i, x):
        return x + tnp.sin(x) / 2

    return treadle.lax.fori_loop(0, 300, body, x)

report = treadle.explain(settle)(tnp.ones(3))
""",
    ),
)
_MOST: Final = 4  # names of a sort that are shown


def look(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each loop that was unrolled.

    A loop whose body is in another function is found by a second trace, in which operations know their callers.

    Args:
        subject: the program.
    """
    loops = loops_of(subject.program, subject.names, 0, subject.outside, unsure=True)
    if subject.with_callers is not None and any([loop.written is None for loop in loops]):
        with suppress(
            Exception
        ):  # of a function that cannot run twice: its loops stay without lines
            program = subject.with_callers()
            loops = loops_of(program, subject.names, 0, subject.outside, unsure=True)
    for loop in loops:
        if loop.is_sure:
            yield finding_of(loop, subject)


def finding_of(loop: UnrolledLoop, subject: Subject) -> Finding:
    """Return the finding about an unrolled loop.

    Args:
        loop: the facts about it.
        subject: the program that it is in.
    """
    fix, code = fix_of(loop)
    return Finding(
        "loop.unrolled",
        f"{_head(loop)}: {_copies(loop)}, {loop.share:.0%} of the program; {_values(loop)}.",
        (loop.place,),
        (f"Tracing took {subject.seconds:.2g} s.",) if subject.seconds else (),
        fix,
        code,
        Cost(seconds=loop.share * subject.seconds),
        certain=loop.written is not None or loop.is_one_call,
    )


def _head(loop: UnrolledLoop) -> str:
    if loop.written is not None:
        return f"{loop.written.word} at {loop.place} was unrolled"
    if loop.is_one_call:
        called = loop.place.marked.partition("(")[0]
        return f"one call of {called} at {loop.place} was unrolled"
    return f"the operations at {loop.place} were repeated"


def _copies(loop: UnrolledLoop) -> str:
    parts = [f"{loop.main.copies} copies of {_operations(loop.main.period)}"]
    parts += [f"{each.copies} copies of {each.period}" for each in loop.others]
    return " and ".join(parts)


def _operations(count: int) -> str:
    return "1 operation" if count == 1 else f"{count} operations"


def _values(loop: UnrolledLoop) -> str:
    """Return what flows between the iterations, and what does not."""
    parts = [f"carried: {_listed([*map(str, loop.carried)]) or 'nothing'}"]
    for word, names in (("fixed", loop.fixed), ("different in each", loop.different)):
        if names and not loop.is_one_call:  # whose copies are not the user's
            parts.append(f"{word}: {_listed([_quoted(each) for each in names])}")
    return "; ".join(parts)


def _quoted(name: str) -> str:
    return name if name.startswith("a ") else f"`{name}`"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST])
    return shown if len(names) <= _MOST else f"{shown} and {len(names) - _MOST} more"

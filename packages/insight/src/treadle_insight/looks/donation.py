"""Donated arrays: which result reuses the memory of each, and why none does."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from treadle_insight.finding import Cost, Finding
from treadle_insight.kinds import Kind
from treadle_insight.looks.part import Part
from treadle_insight.place import Place
from treadle_insight.report import Table
from treadle_insight.subject import Subject
from treadle_ir import Type
from treadle_ir.events import DonationRefused, Event
from treadle_ir.process import fork_safe_lock
from treadle_ir.tree import tree_leaves
from treadle_runtime import DeviceArray, Donation

KINDS: Final = (
    Kind(
        "donation.unused",
        "An argument is donated, but no result can reuse its memory, or it is not donated as the user thinks.",
        topic="What is donation?",
        wrong="""\
import treadle
import treadle.numpy as tnp

def update(state):
    return {"w": state["w"] * 2, "step": (state["step"] + 1).astype(int)}

state = {"w": tnp.ones(3), "step": tnp.zeros(())}
report = treadle.explain(treadle.jit(update, donate_argnums=0))(state)
""",
        right="""\
import treadle
import treadle.numpy as tnp

def update(state):
    return {"w": state["w"] * 2, "step": state["step"] + 1}

state = {"w": tnp.ones(3), "step": tnp.zeros((), int)}
report = treadle.explain(treadle.jit(update, donate_argnums=0))(state)
""",
    ),
    Kind(
        "donation.twice",
        "One array is several arguments of a call, and one of them is donated: the call raises an error.",
        topic="What is donation?",
        wrong="""\
import treadle
import treadle.numpy as tnp

def add(x, y):
    return x + y

x = tnp.ones(3)
report = treadle.explain(treadle.jit(add, donate_argnums=0))(x, x)
""",
        right="""\
import treadle
import treadle.numpy as tnp

def add(x, y):
    return x + y

x = tnp.ones(3)
report = treadle.explain(treadle.jit(add, donate_argnums=0))(x, x.copy())
""",
    ),
)


def look(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each donated argument whose memory is not reused, or that is also another argument.

    Args:
        subject: the program, and the call that it was traced for.
    """
    donated = donations(subject)
    if not donated:
        return
    place = Place.of_function(subject.function)
    where = () if place is None else (place,)
    leaves = _leaves(subject)
    paths = subject.names[len(subject.captured) :]
    for each in donated:
        if each.refusal:
            yield unused(each.argument, each.type, each.refusal, each.others, where)
            continue
        array = leaves[each.leaf] if len(leaves) == len(paths) else None
        same = [x for x, leaf in enumerate(leaves) if leaf is array and x != each.leaf]
        if array is not None and same:
            yield _twice(each, paths[same[0]], where)
        elif isinstance(array, DeviceArray) and _is_viewed(array):
            yield _viewed(each, where)


def tables(subject: Subject) -> Iterator[Table]:
    """Yield the table of donated arrays, if there are any.

    Args:
        subject: the program, and the call that it was traced for.
    """
    donated = donations(subject)
    if donated:
        rows = [(x.argument, str(x.type), _target(x, subject.results)) for x in donated]
        yield Table("donated arguments", ("argument", "type", "memory"), tuple(rows))


def donations(subject: Subject) -> tuple[Donation, ...]:
    """Return what becomes of the donated arguments of a call.

    Args:
        subject: the program, and the call that it was traced for.
    """
    if subject.traced is None:
        return ()
    return subject.traced.donation(subject.positional)


def unused(
    argument: str, type: Type, refusal: str, others: Sequence[Type], where: tuple[Place, ...]
) -> Finding:
    """Return the finding about a donated argument whose memory no result reuses.

    Args:
        argument: its path, as `state['step']`.
        type: its type.
        refusal: why it is not used.
        others: the types of results that come near.
        where: its function, or its call.
    """
    size = type.nbytes if isinstance(type.nbytes, int) else 0  # type: ignore[redundant-expr]  # symbolic sizes
    lost = Cost(bytes=0 if refusal == "keyword" else size)
    shown = f"argument `{argument}` {type}"
    if refusal == "keyword":
        name = argument.partition("[")[0].partition(".")[0]
        return Finding(
            "donation.unused",
            f"{shown} was not donated: it was passed by keyword, and is donated by position only.",
            where,
            fix="Pass it by position, or donate it by its name, too.",
            code=f"donate_argnames={name!r}",
            cost=Cost(bytes=size),
        )
    keep = f"do not donate `{argument}`"
    if not argument.isidentifier():  # a leaf: the argument that it is in is donated as a whole
        keep = f"pass `{argument}` as an argument of its own, which is not donated"
    reason, fix = {
        "shape": ("no result has that shape", f"{keep[0].upper()}{keep[1:]}."),
        "element type": (
            f"the result of that shape is {others[0] if others else 'of another type'}",
            f"Make that result {type}, or {keep}.",
        ),
        "count": (
            f"other arguments use {_results(len(others))} of that type",
            "Donate as many arrays of that type as there are results of it.",
        ),
    }[refusal]
    what = f"The memory of the donated {shown} could not be reused: {reason}."
    return Finding("donation.unused", what, where, fix=fix, cost=lost)


def _results(count: int) -> str:
    return "the only result" if count == 1 else f"all {count} results"


def _viewed(given: Donation, where: tuple[Place, ...]) -> Finding:
    return Finding(
        "donation.unused",
        f"argument `{given.argument}` {given.type} is copied, not reused: a NumPy view of it is alive.",
        where,
        ("A view is made by `np.asarray`, by a NumPy function, or by DLPack.",),
        "Delete the view before the call, or make it a copy: `np.array(x)`.",
        cost=Cost(bytes=given.type.nbytes),
        certain=False,
    )


def _twice(given: Donation, other: str, where: tuple[Place, ...]) -> Finding:
    return Finding(
        "donation.twice",
        f"argument `{given.argument}` {given.type} is donated, and is the same array as argument `{other}`.",
        where,
        ("The call raises an error: its memory would be read after it was given away.",),
        "Copy it first, or do not donate it.",
        f"{other}.copy()" if other.isidentifier() else "",
    )


def _target(given: Donation, results: Sequence[str]) -> str:
    """Return the result that reuses the memory of a donated array, or why none does."""
    if given.result is not None:
        path = results[given.result] if given.result < len(results) else ""
        return f"-> result{path}"
    near = f": {given.others[0]}" if given.others else ""
    return {
        "shape": "unused: no result of this shape",
        "element type": f"unused: the result of this shape is another type{near}",
        "count": "unused: others take all results of this type",
        "keyword": "not donated: passed by keyword",
    }.get(given.refusal, "")


def _leaves(subject: Subject) -> list[object]:
    """Return the arrays of the call, in the order of the program's arguments; empty if some arguments are static."""
    if subject.traced is None or subject.traced.static_values():
        return []
    return tree_leaves((tuple(subject.args), dict(subject.kwargs)))


def _is_viewed(array: DeviceArray) -> bool:
    """Return whether a NumPy array refers to the elements of an array."""
    return array.host is not None and sys.getrefcount(array.host) > _ALONE


class _Holder:
    """An object with an attribute, as an array has its elements."""

    __slots__ = ("host",)

    def __init__(self) -> None:
        self.host = object()


def _references_of_held() -> int:
    """Return the number of references to an object that only an attribute refers to, counted as `_is_viewed` does."""
    holder = _Holder()
    return sys.getrefcount(holder.host)


_ALONE: Final = _references_of_held()


@final
class DonationPart(Part):
    """Hears of donated arguments that keep their memory."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._heard: dict[object, DonationRefused] = {}

    def hear(self, event: Event) -> None:
        """Note a donated argument that keeps its memory.

        Args:
            event: what happened.
        """
        if isinstance(event, DonationRefused):
            with self._lock:
                self._heard.setdefault((event.function, event.argument, event.refusal), event)

    def findings(self) -> Iterable[Finding]:
        """Return a finding for each argument."""
        with self._lock:
            heard = [*self._heard.values()]
        for each in heard:
            place = Place.of_function(each.function)
            where = (Place.of(each.place), *([] if place is None else [place]))
            yield unused(each.argument, each.type, each.refusal, each.others, where)

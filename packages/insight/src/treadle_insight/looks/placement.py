"""Arrays that go from device to device because another operand is committed elsewhere."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from treadle_insight.expressions import argument_text, operand_texts, paths_or_numbers
from treadle_insight.finding import Cost, Finding, bytes_text
from treadle_insight.kinds import Kind
from treadle_insight.looks.part import Part
from treadle_insight.place import Place
from treadle_ir.events import (
    ArrayCommitted,
    ElementsTransferred,
    Event,
    PlacementRefused,
    TransferredOperand,
)
from treadle_ir.process import fork_safe_lock

LARGE: Final = 1_000_000  # bytes that were moved at one place
OFTEN: Final = 100  # times that smaller arrays were moved at one place

KINDS: Final = (
    Kind(
        "placement.moved",
        "An array is moved to another device, because another operand is committed there.",
        wrong="""\
import treadle
import treadle.numpy as tnp

a = treadle.device_put(tnp.ones(4_000_000), treadle.devices()[1])
c = tnp.ones(4_000_000)
with treadle.watch("placement") as report:
    d = a + c
""",
        right="""\
import treadle
import treadle.numpy as tnp

a = treadle.device_put(tnp.ones(4_000_000), treadle.devices()[1])
c = treadle.device_put(tnp.ones(4_000_000), treadle.devices()[1])
with treadle.watch("placement") as report:
    d = a + c
""",
        devices=2,
    ),
    Kind(
        "placement.conflict",
        "Two operands are committed to different devices: the operation is an error.",
        wrong="""\
import treadle
import treadle.numpy as tnp

with treadle.watch("placement") as report:
    a = treadle.device_put(tnp.ones(3), treadle.devices()[0])
    c = treadle.device_put(tnp.ones(3), treadle.devices()[1])
    try:
        d = a + c
    except ValueError as error:
        print(error)
""",
        right="""\
import treadle
import treadle.numpy as tnp

with treadle.watch("placement") as report:
    a = treadle.device_put(tnp.ones(3), treadle.devices()[1])
    c = treadle.device_put(tnp.ones(3), treadle.devices()[1])
    d = a + c
""",
        devices=2,
    ),
)


@final
@dataclass
class _Move:
    """What was moved at one place."""

    what: str  # the name of the operand
    call: str
    source: str
    target: str
    anchor: str  # the name of the operand that decides, or empty
    committed_at: Place | None
    place: Place
    code: str  # the fix, or empty
    times: int = 0
    bytes: int = 0


@final
class PlacementPart(Part):
    """Finds arrays that go from device to device."""

    events: tuple[type[Event], ...] = (ElementsTransferred, ArrayCommitted, PlacementRefused)

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._moves: dict[tuple[object, ...], _Move] = {}
        self._conflicts: dict[tuple[object, ...], Finding] = {}
        # Where arrays were committed, by their identity; entries go with the arrays.
        self._committed: dict[int, tuple[weakref.ref[Any], Place]] = {}

    def hear(self, event: Event) -> None:
        """Note where an array is committed, and what is moved.

        Args:
            event: what happened, in the thread in which it happened.
        """
        if isinstance(event, ElementsTransferred):
            if event.operand is not None and "host" not in (event.source, event.target):
                self._moved(event, event.operand)
        elif isinstance(event, ArrayCommitted):
            self._commit(event.array, Place.of(event.place))
        elif isinstance(event, PlacementRefused):
            self._refused(event)

    def _commit(self, array: object, place: Place) -> None:
        """Note where an array was put."""
        key = id(array)
        reference = weakref.ref(array, lambda _: self._committed.pop(key, None))
        self._committed[key] = (reference, place)

    def _committed_at(self, array: object) -> Place | None:
        """Return where an array was put, if that was seen."""
        found = self._committed.get(id(array))
        return found[1] if found is not None and found[0]() is array else None

    def _moved(self, event: ElementsTransferred, operand: TransferredOperand) -> None:
        place = Place.of(event.place)
        key = (place, operand.name, operand.number, event.source, event.target)
        with self._lock:
            move = self._moves.get(key)
        if move is None:
            names = _names(operand, place)
            anchor, committed_at = "", None
            for number, each in enumerate(operand.operands):
                if getattr(each, "committed", False):
                    anchor, committed_at = names[number], self._committed_at(each)
                    break
            what = names[operand.number]
            name = text = what.strip("`")
            if operand.function is not None:
                text = argument_text(place, operand.function, name)
            code = f"{name} = device_put({text}, ...)" if text and name.isidentifier() else ""
            move = _Move(
                what, operand.name, event.source, event.target, anchor, committed_at, place, code
            )
        with self._lock:
            move = self._moves.setdefault(key, move)
            move.times += 1
            move.bytes += event.type.nbytes

    def _refused(self, event: PlacementRefused) -> None:
        place = Place.of(event.place)
        texts = operand_texts(place)
        names = [
            _quoted(texts, number, label)
            for number, label in zip(event.numbers, event.labels, strict=True)
        ]
        places = [place, *self._places_of(event.placed)]
        finding = Finding(
            "placement.conflict",
            f"{names[0]} is committed to {event.devices[0]} and {names[1]} to {event.devices[1]}, and {event.name} "
            "needs both on the same devices.",
            tuple(places),
            ("Nothing that was put somewhere on request is moved without one.",),
            f"Bring one over with `device_put({names[1].strip('`')}, ...)`, or leave one uncommitted.",
        )
        with self._lock:
            self._conflicts[place, event.name] = finding

    def _places_of(self, placed: Sequence[object]) -> list[Place]:
        """Return where arrays of these types and placements were put, where only one place comes into question."""
        found: list[Place] = []
        for wanted in placed:
            places = {
                place
                for reference, place in [*self._committed.values()]
                if getattr(reference(), "placed", None) is wanted
            }
            found += places if len(places) == 1 else ()
        return found

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            moves, found = [*self._moves.values()], [*self._conflicts.values()]
        return [*found, *[_finding(x) for x in moves if x.bytes >= LARGE or x.times >= OFTEN]]


def _finding(move: _Move) -> Finding:
    because = ""
    if move.anchor:
        where = f" (device_put at {move.committed_at})" if move.committed_at is not None else ""
        because = f", because {move.anchor} is committed{where}"
    times = "once" if move.times == 1 else f"{move.times:,} times"
    places = [move.place, *([move.committed_at] if move.committed_at is not None else [])]
    return Finding(
        "placement.moved",
        f"{move.what} went from {move.source} to {move.target} at {move.place}{because}.",
        tuple(places),
        (f"It was moved {times}, {bytes_text(move.bytes)}, for {move.call}.",),
        "Put it there once, or leave the other operand uncommitted.",
        move.code,
        cost=Cost(bytes=move.bytes),
    )


def _names(operand: TransferredOperand, place: Place) -> list[str]:
    """Return the names of all operands: the arguments of a function, or as the source writes them."""
    if operand.paths is not None:
        return [
            f"`{path.removeprefix('argument ')}`" if path.startswith("argument ") else path
            for path in paths_or_numbers(operand.paths, len(operand.operands))
        ]
    texts = operand_texts(place)
    if len(texts) != len(operand.operands):
        texts = ()
    return [_quoted(texts, number, f"operand {number}") for number in range(len(operand.operands))]


def _quoted(texts: Sequence[str], number: int, label: str) -> str:
    """Return an operand as the source writes it, in backquotes, or else its label."""
    return f"`{texts[number]}`" if number < len(texts) else label

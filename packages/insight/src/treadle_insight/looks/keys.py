"""Random keys that are used twice, as `debug_key_reuse` finds them, as findings instead of errors.

Keys are followed through each eager operation and each call, which makes these ten times slower: `watch(keys=True)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from treadle_insight.finding import Finding
from treadle_insight.kinds import Kind
from treadle_insight.listeners import count_listener
from treadle_insight.looks.part import Part
from treadle_insight.place import Place
from treadle_ir.events import Event, KeyReused
from treadle_ir.process import fork_safe_lock
from treadle_ir.settings import KEY_LISTENERS

_PROGRAM: Final = """\
import treadle

key = treadle.random.key(0)

with treadle.watch("key") as report:
    first = treadle.random.normal(key, (3,))
    second = treadle.random.normal(key, (3,))
"""
KINDS: Final = (
    Kind(
        "key.reused",
        "A random key is used a second time: the numbers are the same, or depend on each other.",
        topic="",
        wrong=_PROGRAM,
        right=_PROGRAM.replace(
            "    first", "    key, other = treadle.random.split(key)\n    first"
        ).replace("second = treadle.random.normal(key", "second = treadle.random.normal(other"),
    ),
)


@final
class Keys(Part):
    """Reports random keys that are used twice."""

    def __init__(self) -> None:
        self._found: dict[tuple[Place, Place], Finding] = {}
        self._lock = fork_safe_lock()

    def enter(self) -> None:
        """Have keys followed."""
        count_listener(KEY_LISTENERS, 1)

    def leave(self) -> None:
        """Have keys followed no more, unless by another watch."""
        count_listener(KEY_LISTENERS, -1)

    def hear(self, event: Event) -> None:
        """Hear of a key that is used twice.

        Args:
            event: what happened.
        """
        if type(event) is not KeyReused:
            return
        place, before = Place.of(event.place), Place.of(event.before)
        again = "in another iteration, or call, " if place == before else ""
        with self._lock:
            self._found.setdefault(
                (place, before),
                Finding(
                    "key.reused",
                    f"A random key is used at {place}, and has been used {again}at {before} already.",
                    (place,) if place == before else (place, before),
                    ("The numbers are the same, or depend on each other.",),
                    "Split the key first; or say that it is meant with `treadle.random.clone`.",
                    "key, other = treadle.random.split(key)",
                ),
            )

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            return [*self._found.values()]

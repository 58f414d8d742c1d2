"""Methods that are jitted although their `self` is neither an array nor a usable static argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from treadle_insight.finding import Finding
from treadle_insight.kinds import Kind
from treadle_insight.looks.misses import place_of_definition
from treadle_insight.looks.part import Part
from treadle_insight.place import Place
from treadle_ir.events import ArgumentRefused, Event
from treadle_ir.process import fork_safe_lock

KINDS: Final = (
    Kind(
        "static.self",
        "A method is jitted, and `self` is neither a pytree of arrays nor a hashable static argument: the call is an "
        "error.",
        wrong="""\
import treadle
import treadle.numpy as tnp

class Model:
    def __init__(self, factor):
        self.factor = factor

    @treadle.jit
    def calc(self, x):
        return self.factor * x

with treadle.watch("static") as report:
    try:
        Model(2.0).calc(tnp.ones(3))
    except TypeError as error:
        print(error)
""",
        right="""\
from functools import partial

import treadle
import treadle.numpy as tnp

class Model:
    def __init__(self, factor):
        self.factor = factor

    def calc(self, x):
        return scaled(self.factor, x)

@treadle.jit
def scaled(factor, x):
    return factor * x

with treadle.watch("static") as report:
    Model(2.0).calc(tnp.ones(3))
""",
    ),
)


@final
class StaticPart(Part):
    """Finds methods whose `self` is refused."""

    events: tuple[type[Event], ...] = (ArgumentRefused,)

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._found: dict[tuple[str, int, str], Finding] = {}

    def hear(self, event: Event) -> None:
        """Note a refused argument.

        Args:
            event: what happened, in the thread in which it happened.
        """
        if not isinstance(event, ArgumentRefused) or event.argument.split(".")[0] != "self":
            return
        kind = type(event.value).__name__
        places = [Place.of(event.place)]
        defined = None if event.function is None else place_of_definition(event.function)
        if defined is not None:
            places.append(defined)
        finding = Finding(
            "static.self",
            f"{event.name} is a method, and its `self` is of class {kind}, neither a tree of arrays nor a static "
            "argument.",
            tuple(places),
            ("jit treats each argument as a tree of arrays, `self` too.",),
            f"Jit a function of arrays that the method calls; or mark `self` static with static_argnums=0, and give "
            f"{kind} `__hash__` and `__eq__` by value; or register {kind} as a pytree.",
        )
        with self._lock:
            self._found[places[0].file, places[0].line, event.name] = finding

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            return [*self._found.values()]

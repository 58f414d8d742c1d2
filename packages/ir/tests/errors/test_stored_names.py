"""`stored_name`: the name that the user's byte code gives to a value."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from treadle_ir.errors import NOWHERE, Source, stored_name
from treadle_ir.errors.source import WideSource, with_callers


def here(*others: object) -> Any:  # Any: unpacked by some of the programs
    """Return the location of the call of this function."""
    frame = sys._getframe(1)
    return Source(frame.f_code, frame.f_lasti)


PROGRAMS = {
    "y = here()": "y",
    "y = here(1, 2)": "y",
    "y: object = here()": "y",
    "(y := here())": "y",
    "z = y = here()": "z",
    "a, b = here(), 1": "a",
    "b, y = 1, here()": "y",
    "b, y = here(1), here()": "y",
    "a, b, y = 1, 2, here()": "y",
    "box.y = here()": "box.y",
    "box.inner.y = here()": "box.inner.y",
    "cache['k'] = here()": "cache['k']",
    "cache[key] = here()": "cache[key]",
    "cache[0], b = here(), len(cache)": "cache[0]",
    "here()": "",
    "print(here())": "",
    "y = [here()]": "",
    "cache[key + 'x'] = here()": "",
}


def location(program: str) -> Source:
    """Return the last location that a function with this body recorded."""
    found: list[Source] = []

    def recorded(*others: object) -> object:
        frame = sys._getframe(1)
        found.append(Source(frame.f_code, frame.f_lasti))
        return object()

    lines = ["def f(box, cache, key):", f"    {program}", "    return None"]
    names: dict[str, Any] = {"here": recorded}
    exec("\n".join(lines), names)
    names["f"](SimpleNamespace(inner=SimpleNamespace()), {}, "key")
    return found[-1]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_name_of_a_value(program: str) -> None:
    assert stored_name(location(program)) == PROGRAMS[program]


def test_values_that_are_unpacked() -> None:
    class Two:
        def __iter__(self) -> Any:
            return iter((1, 2))

    found = []

    def call() -> Two:
        frame = sys._getframe(1)
        found.append(Source(frame.f_code, frame.f_lasti))
        return Two()

    low, _high = call()
    assert low == 1
    assert stored_name(found[0]) == "low, _high"


def test_globals_and_variables_of_enclosing_functions() -> None:
    found: dict[str, Source] = {}
    exec("y = here()\nfound['y'] = y", {"here": here, "found": found})
    assert stored_name(found["y"]) == "y"
    kept = None

    def inner() -> None:
        nonlocal kept
        kept = here()

    inner()
    assert kept is not None
    assert stored_name(kept) == "kept"


def test_operators() -> None:
    class Located:
        def __add__(self, other: object) -> Source:
            frame = sys._getframe(1)
            return Source(frame.f_code, frame.f_lasti)

        __getitem__ = __iadd__ = __add__

    total = Located() + 1
    assert stored_name(total) == "total"
    part = Located()[0]
    assert stored_name(part) == "part"
    running: Any = Located()
    running += 1
    assert stored_name(running) == "running"


def test_a_value_that_is_returned_has_the_name_that_the_caller_gives_it() -> None:
    def layer() -> Source:
        return with_callers(deepest(), 1, 4)

    def deepest() -> Source:
        return here()

    h = layer()
    code, offset = h.code, h.offset
    assert code is not None
    assert stored_name(Source(code, offset)) == ""  # its callers are unknown
    caller = here_of_h(layer)
    assert stored_name(WideSource(code, offset, ("", ""), (caller,))) == "h2"


def here_of_h(layer: Any) -> Source:
    """Return the location of a call whose value is stored to `h2`."""
    h2 = here()
    assert isinstance(h2, Source)
    return h2


def test_no_location() -> None:
    assert stored_name(NOWHERE) == ""

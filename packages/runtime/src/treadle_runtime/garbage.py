"""Arrays that only the garbage collector could free: `array_garbage_collection_guard`.

The collector is watched once the guard is set for the first time. Before each run, the arrays of the generations that
it examines are recorded; the arrays that are gone after the run were part of reference cycles.
"""

from __future__ import annotations

import gc
import os
import sys
import weakref
from typing import Any, Final

from treadle_ir.events import say
from treadle_ir.settings import Setting, one_of

_LEVELS: Final = one_of(None, "allow", "log", "fatal")
_ARRAYS: Final = "treadle_runtime.arrays.array"  # where there are none before it is imported


def _level(value: object) -> str | None:
    """Return one of the words, and start to observe the collector."""
    level: str | None = _LEVELS(value)
    if level in ("log", "fatal") and _collecting not in gc.callbacks:
        gc.callbacks.append(_collecting)
    return level


# Arrays that the garbage collector may be about to free, while it runs.
_candidates: Final[list[tuple[weakref.ref[object], str]]] = []


def _collecting(phase: str, info: dict[str, Any]) -> None:
    # The collector also runs during imports: of this module, where the environment has a level, and before there are
    # arrays.
    level = GARBAGE_GUARD() if "GARBAGE_GUARD" in globals() else None
    kind = getattr(sys.modules.get(_ARRAYS), "DeviceArray", None)
    if level not in ("log", "fatal") or kind is None:
        _candidates.clear()
        return
    if phase == "start":
        for generation in range(info["generation"] + 1):
            for each in gc.get_objects(generation):
                if type(each) is kind and (each.host is not None or each.raw is not None):
                    _candidates.append((weakref.ref(each), str(each.type)))
        return
    freed = [type for reference, type in _candidates if reference() is None]
    _candidates.clear()
    if not freed:
        return
    message = (
        f"{len(freed)} arrays were freed by the garbage collector, since they were part of reference cycles, "
        f"the first of type {freed[0]}"
    )
    say(message, loudly=True)
    if level == "fatal":
        sys.stderr.write(f"treadle: {message}\n")
        sys.stderr.flush()
        os.abort()


GARBAGE_GUARD: Final = Setting(
    "array_garbage_collection_guard",
    None,
    parse=_level,
    keyed=False,
    help="What happens when an array is freed by Python's garbage collector, since it was part of a reference cycle, "
    "and so kept its memory longer than needed: `log` writes to the log; `fatal` ends the process.",
)

"""The arrays of this process: those that are alive, and those that only the garbage collector could free."""

from __future__ import annotations

import gc
import os
import sys
import weakref
from typing import Any, Final

from treadle_ir.logs import say
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.arrays.deleted import Deleted
from treadle_runtime.settings import GARBAGE_GUARD


def live_arrays(platform: str | None = None) -> list[DeviceArray]:
    """The arrays that are alive and have not been deleted, on the devices of a platform; without one, on all.

    They are looked for among all objects of the process, which takes some milliseconds or more.
    """
    return [
        each
        for each in gc.get_objects()
        if type(each) is DeviceArray
        and type(each.raw) is not Deleted
        and platform in (None, each.device.platform)
    ]


# Arrays that the garbage collector may be about to free, while it runs.
_candidates: Final[list[tuple[weakref.ref[DeviceArray], str]]] = []


def guard_garbage() -> None:
    """Look at each run of the garbage collector from now on, as `array_garbage_collection_guard` says."""
    if _collecting not in gc.callbacks:
        gc.callbacks.append(_collecting)


def _collecting(phase: str, info: dict[str, Any]) -> None:
    said = GARBAGE_GUARD()
    if said not in ("log", "fatal"):
        _candidates.clear()
        return
    if phase == "start":
        for generation in range(info["generation"] + 1):
            for each in gc.get_objects(generation):
                if type(each) is DeviceArray and type(each.raw) is not Deleted:
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
    if said == "fatal":
        sys.stderr.write(f"treadle: {message}\n")
        sys.stderr.flush()
        os.abort()

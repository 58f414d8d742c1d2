"""A program over several devices is on disk after the first process; `EXPECTED` says whether that was this one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

import numpy as np

import treadle
import treadle_runtime
from conformance.sharding.arrays import H, over, put


def found_on_disk() -> None:
    """Executables come from the disk cache, and compute the same."""
    f = treadle.jit(lambda x: x @ x.T, out_shardings=over("y", "x"))
    assert np.array_equal(f(put("x", "y")), H @ H.T)
    (timing,) = treadle_runtime.timings(f)
    assert timing.from_disk == (os.environ["EXPECTED"] == "found")


LAWS: Final[dict[str, Callable[[], None]]] = {"found_on_disk": found_on_disk}

"""Host functions for Fourier transforms of real numbers: pocketfft computes half of them, and knows the other half.

The primitive transforms complex numbers alone. Without jit the evaluator calls these instead, from the first call on.
What is not finite is left to the operations, as is everything where SciPy has no such module
(decisions/0093-pocketfft-from-scipy.md).
"""

from __future__ import annotations

import cmath
import math
import os
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.calling import HostFunction, HostFunctionMaker
from treadle_ir.errors import module_or_none

_BY_NOTHING: Final = 0  # what results are divided by
_BY_LENGTHS: Final = 2
_SMALL: Final = 1 << 16  # elements that are transformed before other threads have begun


def of_real(*, forward: bool, count: int | None) -> HostFunctionMaker:
    """Return the maker of transforms of real arrays along their last axes, or along all of them."""
    norm = _BY_NOTHING if forward else _BY_LENGTHS

    def made(types: Sequence[ArrayType]) -> HostFunction | None:
        (x,) = types
        if x.dtype.char not in "fd" or not x.size or x.ndim < (count or 1):
            return None
        module: Any = module_or_none(
            "scipy.fft._duccfft.pyduccfft", "scipy.fft._pocketfft.pypocketfft"
        )
        if module is None:
            return None
        transform = module.c2c
        axes = tuple(range(x.ndim - count if count else 0, x.ndim))
        threads = 1 if x.size <= _SMALL else _cores()

        whole = len(axes) == x.ndim

        # Any: arrays of floats of either width.
        def run(x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]] | None:
            if not whole and not math.isfinite(np.vdot(x, x)):
                return None
            found = transform(x, axes, forward, norm, None, threads)
            if whole and not cmath.isfinite(found.item(0)):  # the sum of all, or their mean
                return None
            return [found]

        return run

    return made


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

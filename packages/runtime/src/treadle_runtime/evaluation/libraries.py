"""The modules with host kernels of primitives, which the rule table imports through this one."""

from __future__ import annotations

from treadle_runtime.evaluation import (
    lapack as lapack,
    pocketfft as pocketfft,
    special as special,
)

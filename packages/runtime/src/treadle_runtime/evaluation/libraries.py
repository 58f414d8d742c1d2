"""The modules whose host kernels call libraries: the table imports this one, and so all of them."""

from __future__ import annotations

from treadle_runtime.evaluation import (
    lapack as lapack,
    pocketfft as pocketfft,
    special as special,
)

"""`jax._src.core`: for flax and numpyro."""

from __future__ import annotations

from treadle.core import (
    ShapedArray as ShapedArray,
    trace_state_clean as trace_state_clean,
)

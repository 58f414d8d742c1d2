"""`jax.experimental.pjit`: `jit`, by its earlier name."""

from __future__ import annotations

from treadle import jit as pjit

__all__ = ["pjit"]

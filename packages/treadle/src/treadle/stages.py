"""The stages of a jitted function, as JAX names them: `jit(f).trace(x).lower().compile()`."""

from __future__ import annotations

from treadle_runtime import Compiled as Compiled, Lowered as Lowered, TracedCall as Traced

__all__ = ["Compiled", "Lowered", "Traced"]

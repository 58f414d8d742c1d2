"""`jax._src.state.types`: for flax.nnx, which asks whether a type is that of a reference."""

from __future__ import annotations

from treadle.ref import AbstractRef as AbstractRef

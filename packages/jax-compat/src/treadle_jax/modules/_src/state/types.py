"""`jax._src.state.types`: for flax.nnx, which checks whether a type is the type of a reference."""

from __future__ import annotations

from treadle.ref import AbstractRef as AbstractRef

"""`jax._src.state.types`: for flax.nnx, which asks whether an `aval` is that of a reference."""

from __future__ import annotations

from treadle.core import AbstractValue


class AbstractRef(AbstractValue):
    """JAX's type of references; treadle's have no `aval`, so nothing is one."""

"""`jax._src.literals`: for equinox and jaxtyping, which ask whether a value is a literal of a traced function."""

from __future__ import annotations

from typing import final


@final
class TypedNdArray:
    """JAX's class of literal arrays; treadle has none, so nothing is one."""

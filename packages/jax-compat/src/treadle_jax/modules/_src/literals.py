"""`jax._src.literals`: for equinox, jaxtyping and quax, which ask whether a value is a literal of a traced function.

treadle's literals are of a class of their own, so that nothing is an instance of these.
"""

from __future__ import annotations

from typing import final


@final
class TypedNdArray:
    """JAX's class of literal arrays."""


@final
class TypedInt(int):
    """JAX's class of literal integers."""


@final
class TypedFloat(float):
    """JAX's class of literal floats."""


@final
class TypedComplex(complex):
    """JAX's class of literal complex numbers."""


LiteralArray = TypedNdArray
"""JAX's older name of it."""

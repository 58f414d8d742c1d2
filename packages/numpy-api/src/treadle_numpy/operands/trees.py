"""Pytrees, as functions take and return them."""

from __future__ import annotations

from typing import Any, TypeAlias

Tree: TypeAlias = Any  # any Python object; what its leaves are is known when it is flattened
# A pytree whose numbers and NumPy arrays become `Array`s inside of a body. Python's types cannot express that for
# each leaf: the body alone types what it takes and returns.
Container: TypeAlias = tuple[Any, ...] | list[Any] | dict[Any, Any]

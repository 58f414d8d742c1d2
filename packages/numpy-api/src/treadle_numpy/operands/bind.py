"""Applying a primitive that has one result."""

from __future__ import annotations

from treadle_ir import Array, Operand, Primitive
from treadle_ir.tracing import current_trace


def bind(primitive: Primitive, *operands: Operand) -> Array:
    """The only result of a primitive under the current trace."""
    return current_trace().process(primitive, operands)[0]  # type: ignore[return-value]  # see `treadle_ir.bind`

"""Operands as booleans."""

from __future__ import annotations

from treadle_ir import Operand, ops
from treadle_ir.core.dtypes import is_bool
from treadle_numpy.operands.coerce import coerce
from treadle_numpy.operands.scalars import zero_like


def truth(function: str, position: int, x: object) -> Operand:
    """Return an operand as a boolean: whether it is not zero (NaN is not)."""
    operand = coerce(function, position, x)
    if is_bool(operand.dtype):
        return operand
    return ops.compare(operand, zero_like(operand), direction="ne")

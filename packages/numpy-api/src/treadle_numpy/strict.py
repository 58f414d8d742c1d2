"""Operands as `treadle.lax` takes them: of one element type, nothing converted but Python's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle_ir import ArrayType, DType, Literal
from treadle_numpy.coercion import coerce, operand_type, with_dtype


def strict(name: str, *arguments: Any) -> list[Any]:
    """Operands of one element type: Python's numbers take that of the arrays; nothing else is converted."""
    operands = [coerce(name, i, x) for i, x in enumerate(arguments)]
    if all(isinstance(x, Literal) for x in operands):
        kinds = [x.type for x in operands]
        top = _widest(kinds)
        return [with_dtype(x, x.type, top, True) for x in operands]
    arrays = [operand_type(x) for x in operands if not isinstance(x, Literal)]
    dtype = next((t.dtype for t in arrays if not t.weak), arrays[0].dtype)
    return [with_dtype(x, x.type, dtype, False) if isinstance(x, Literal) else x for x in operands]


def _widest(types: Sequence[ArrayType]) -> DType:
    """The widest kind of Python numbers' types."""
    order = {"b": 0, "i": 1, "f": 2, "c": 3}
    return max(types, key=lambda t: order[t.dtype.kind]).dtype

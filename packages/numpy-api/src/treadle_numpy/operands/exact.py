"""Operands as `treadle.lax` takes them: of one element type, nothing converted but Python's numbers."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import ArrayType, DType, Literal, Operand
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.promote import with_dtype


def strict(name: str, *arguments: ArrayLike) -> list[Operand]:
    """Operands of one element type: Python's numbers take that of the arrays; nothing else is converted."""
    operands = [coerce(name, i, x) for i, x in enumerate(arguments)]
    numbers = [x for x in operands if isinstance(x, Literal)]
    if len(numbers) == len(operands):
        top = _widest([x.type for x in numbers])
        return [with_dtype(x, x.type, top, True) for x in numbers]
    arrays = [operand_type(x) for x in operands if not isinstance(x, Literal)]
    dtype = next((t.dtype for t in arrays if not t.weak), arrays[0].dtype)
    return [with_dtype(x, x.type, dtype, False) if isinstance(x, Literal) else x for x in operands]


def _widest(types: Sequence[ArrayType]) -> DType:
    """The widest kind of Python numbers' types."""
    order = {"b": 0, "i": 1, "f": 2, "c": 3}
    return max(types, key=lambda t: order[t.dtype.kind]).dtype

"""Operands as `treadle.lax` takes them: of one element type, nothing converted but Python's numbers."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import Array, ArrayType, DType, Literal, Operand
from treadle_ir.core.dtypes import is_bool, is_complex, is_inexact
from treadle_numpy.operands.broadcast import stretched
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.promote import with_dtype


def strict(name: str, *arguments: ArrayLike) -> list[Operand]:
    """Return operands of one element type: Python numbers take the arrays' type; nothing else is converted.

    Together with arrays that are all weak, Python numbers stay weak.

    A number that the element type has no room for (a complex one with floats, 1.5 with integers) stays what it
    is: the instruction reports that the types differ.
    """
    for x in arguments:
        if not isinstance(x, Array):
            break
    else:  # as nearly always: nothing is converted
        return [*arguments]  # type: ignore[list-item]  # all were asked
    operands = [coerce(name, i, x) for i, x in enumerate(arguments)]
    numbers = [x for x in operands if isinstance(x, Literal)]
    if len(numbers) == len(operands):
        top = _widest([x.type for x in numbers])
        return [with_dtype(x, x.type, top, True) for x in numbers]
    arrays = [operand_type(x) for x in operands if not isinstance(x, Literal)]
    strong = next((t.dtype for t in arrays if not t.weak), None)
    dtype = arrays[0].dtype if strong is None else strong
    return [
        with_dtype(x, x.type, dtype, strong is None)
        if isinstance(x, Literal) and _kind(x.type.dtype) <= _kind(dtype)
        else x
        for x in operands
    ]


def matched(name: str, *arguments: ArrayLike) -> Sequence[Operand]:
    """Apply `strict`, with axes of size 1 repeated to the others' sizes where the operands have as many axes.

    Raises:
        ShapeError: two sizes of an axis differ and neither is 1.
    """
    if len(arguments) == 2:
        x, y = arguments
        alike = isinstance(x, Array) and (y.__class__ is x.__class__ or isinstance(y, Array))
        if alike and x.type.shape == y.type.shape:  # type: ignore[union-attr]  # both are arrays
            return arguments  # type: ignore[return-value]  # nothing to convert or to repeat
    return stretched(name, strict(name, *arguments))


def _widest(types: Sequence[ArrayType]) -> DType:
    """Return the widest kind of Python numbers' types."""
    return max(types, key=lambda t: _kind(t.dtype)).dtype


def _kind(dtype: DType) -> int:
    """Return the place of an element type's kind: booleans, integers, floats, complex numbers."""
    return is_complex(dtype) + is_inexact(dtype) + (not is_bool(dtype))

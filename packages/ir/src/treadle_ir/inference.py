"""What a primitive does to types, cached: result types and effects by (primitive, operand types).

Primitives that hold programs or Python functions are not: the cache would keep them alive.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from treadle_ir.dtypes import is_extended, no_numbers
from treadle_ir.effects import Effects
from treadle_ir.primitive import Primitive
from treadle_ir.types import ArrayType, Type

Inferred: TypeAlias = tuple[tuple[Type, ...], Effects]

_CACHE: Final[dict[tuple[Primitive, tuple[Type, ...]], Inferred]] = {}
_LIMIT: Final = 16384


def _refuse_extended(primitive: Primitive, operands: tuple[Type, ...]) -> None:
    for operand in operands:
        if isinstance(operand, ArrayType) and is_extended(operand.dtype):
            raise no_numbers(primitive.name, operand.dtype)


def inferred(primitive: Primitive, operands: tuple[Type, ...]) -> Inferred:
    """Result types and effects of applying a primitive to operands of these types.

    Raises:
        ShapeError, DTypeError: the operands do not fit; nothing is cached.
    """
    key = (primitive, operands)
    found = _CACHE.get(key)
    if found is None:
        if not primitive.takes_keys:
            _refuse_extended(primitive, operands)
        found = primitive.infer(*operands), primitive.effects(*operands)
        if type(primitive).programs is Primitive.programs and not primitive.opaque:
            if len(_CACHE) >= _LIMIT:
                _CACHE.clear()
            _CACHE[key] = found
    return found

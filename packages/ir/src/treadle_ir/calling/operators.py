"""The operators of arrays in treadle_ir alone: exact types, Python numbers converted to the array's type.

treadle_numpy replaces them with NumPy's: promotion, broadcasting, indexing, methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from treadle_ir import ops
from treadle_ir.tracing.array import Array, Operand, type_of


def _exact(value: object, like: Operand) -> Operand:
    """Return a Python number as a scalar of an array's element type; arrays unchanged."""
    if isinstance(value, (bool, int, float, complex)):
        scalar: np.generic = type_of(like).dtype.type(value)
        return scalar
    assert isinstance(value, (Array, np.ndarray, np.generic))
    return value


def _is_operand(value: object) -> bool:
    return isinstance(value, (Array, np.ndarray, np.generic, bool, int, float, complex))


def _binary(
    operation: Callable[[Operand, Operand], Operand],
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def forward(self: Array, other: object) -> object:
        return operation(self, _exact(other, self)) if _is_operand(other) else NotImplemented

    def reflected(self: Array, other: object) -> object:
        return operation(_exact(other, self), self) if _is_operand(other) else NotImplemented

    return forward, reflected


def _comparison(direction: Any) -> Callable[..., Any]:
    def compared(self: Array, other: object) -> object:
        if not _is_operand(other):
            return NotImplemented
        return ops.compare(self, _exact(other, self), direction=direction)

    return compared


_BINARY: Final = {
    "add": ops.add,
    "sub": ops.subtract,
    "mul": ops.multiply,
    "truediv": ops.divide,
    "pow": ops.power,
    "and": ops.and_,
    "or": ops.or_,
    "xor": ops.xor,
}
TABLE: Final[dict[str, object]] = {
    "__neg__": ops.negate,
    "__abs__": ops.abs,
    "__invert__": ops.not_,
    "__pos__": lambda x: x,
}
for _name, _operation in _BINARY.items():
    TABLE[f"__{_name}__"], TABLE[f"__r{_name}__"] = _binary(_operation)
for _direction in ("eq", "ne", "lt", "le", "gt", "ge"):
    TABLE[f"__{_direction}__"] = _comparison(_direction)

"""Numbers in the element type of another operand."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir import Array, ArrayType, DType, Literal, Operand, ops
from treadle_ir.core import is_symbolic_dim
from treadle_ir.core.dtypes import BY_NAME, is_bool, is_integer
from treadle_numpy.operands.coerce import coerce, operand_type

Scalar: TypeAlias = np.generic | Literal
Number: TypeAlias = bool | int | float | complex | np.generic
FLOATS: Final = frozenset([BY_NAME[name] for name in ("bf16", "f16", "f32", "f64")])


def scalar_like(value: object, type: ArrayType) -> np.generic | None:
    """Return a Python number as a scalar of an array's element type; None if promotion has to decide.

    Floats with floating arrays, and ints with integer and floating arrays, take the array's element type.
    """
    dtype = type.dtype
    kind = value.__class__
    scalar: np.generic
    if type.weak:
        return None
    if kind is float:
        if dtype not in FLOATS:
            return None
        scalar = dtype.type(value)
        return scalar
    if kind is int:
        try:
            return dtype.type(value) if dtype in FLOATS or is_integer(dtype) else None
        except OverflowError:
            return None
    return None


def number(value: Number, x: Operand) -> Scalar:
    """Return a number in the element type of an operand, and weak if it is: results keep the mark."""
    type = operand_type(x)
    scalar: np.generic = type.dtype.type(value)
    return Literal(scalar, ArrayType((), type.dtype, True)) if type.weak else scalar


def zero_like(x: Operand) -> Scalar:
    """Return a zero of an operand's element type, for `select`, which broadcasts scalars."""
    return number(0, x)


def size_scalar(size: int | float, dtype: DType) -> np.generic | Array:
    """Return a number of elements in an element type: a scalar of the host, or of the program where it is symbolic."""
    if is_symbolic_dim(size):
        symbolic: Any = size
        return ops.convert(ops.dimension_size(symbolic), dtype=dtype)
    scalar: np.generic = dtype.type(size)
    return scalar


def literal(value: Number, x: Operand) -> np.generic:
    """Return a Python number in the element type of an operand, as a scalar of the host."""
    scalar: np.generic = x.dtype.type(value)
    return scalar


def truth(function: str, position: int, x: object) -> Operand:
    """Return an operand as a boolean: whether it is not zero (NaN is not)."""
    operand = coerce(function, position, x)
    if is_bool(operand.dtype):
        return operand
    return ops.compare(operand, zero_like(operand), direction="ne")

"""Users' values as operands: what primitives take, of canonical element type.

Primitives promote nothing and broadcast nothing: that is the work of the modules `promote` and `broadcast`.
"""

from __future__ import annotations

from typing import Final, TypeAlias, TypeGuard

import numpy as np

from treadle_ir import ArgumentError, Array, ArrayType, Literal, Operand
from treadle_ir.calling import (
    canonical_elements as canonical_elements,
    fix_for,
    operand_or_none,
    weak_literal as weak_literal,
)
from treadle_ir.tracing import Tracer
from treadle_numpy.operands.arrays import Elements, array_of

ArrayLike: TypeAlias = Operand | bool | int | float | complex
"""What functions take without being asked: arrays, NumPy's too, and numbers. Sequences are not converted."""
SCALARS: Final = (bool, int, float, complex)


def host_elements(x: object) -> Elements | None:
    """Return the elements of a value, if there are any, as a NumPy array."""
    if isinstance(x, Tracer):
        return x.concrete()
    if isinstance(x, Literal):
        return np.asarray(x.value)
    return np.asarray(x)


def is_array_like(x: object) -> TypeGuard[ArrayLike]:
    """Return whether it is an array or a scalar, which functions take without being asked."""
    return isinstance(x, (Array, np.ndarray, np.generic, bool, int, float, complex, Literal))


def coerce(function: str, position: int, x: object) -> Operand:
    """Return one argument as an operand of canonical element type; Python scalars become weak literals.

    Raises:
        ArgumentError: it is neither an array nor a scalar.
    """
    operand = operand_or_none(x)
    if operand is None:
        raise refused(function, position, x)
    return operand


def coerce_array(function: str, position: int, x: object) -> Array:
    """Return one argument as an array; scalars become arrays without axes.

    Raises:
        ArgumentError: it is neither an array nor a scalar.
    """
    return array_of(coerce(function, position, x))


def refused(function: str, position: int, x: object) -> ArgumentError:
    """Return the error for an argument that is neither an array nor a scalar."""
    if isinstance(x, (list, tuple)):
        fix = "make it an array first: `treadle.numpy.array(...)`; sequences are not converted by themselves"
    elif x is None:
        fix = "pass an array or a number; None often comes from a function that forgot to return"
    elif hasattr(type(x), "to_numpy") or hasattr(type(x), "detach"):
        fix = fix_for(x)
    else:
        fix = "pass an array, a NumPy array or a number; read the array out of the object first"
    return ArgumentError(
        f"{function} requires ndarray or scalar arguments, got {type(x)} at position {position}",
        fix=fix,
    )


def operand_type(operand: Operand) -> ArrayType:
    """Return the type of a coerced operand."""
    if isinstance(operand, (np.ndarray, np.generic)):
        return ArrayType(operand.shape, operand.dtype)
    return operand.type

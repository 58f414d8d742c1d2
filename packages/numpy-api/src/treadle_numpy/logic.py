"""Truth: logical functions, and questions about numbers (finite, NaN, real)."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import Array, ArrayType, DTypeError
from treadle_ir.dtypes import is_bool, is_complex, is_floating
from treadle_numpy.coercion import (
    ArrayLike,
    broadcast,
    coerce,
    filled,
    is_array_like,
    operand_type,
    ops,
)
from treadle_numpy.elementwise import zero_like


def truth(function: str, position: int, x: object) -> Any:
    """An operand as a boolean: whether it is not zero (NaN is not)."""
    operand = coerce(function, position, x)
    type = operand_type(operand)
    return (
        operand if is_bool(type.dtype) else ops.compare(operand, zero_like(operand), direction="ne")
    )


def _pair(name: str, x: object, y: object) -> list[Any]:
    return broadcast(name, [truth(name, 0, x), truth(name, 1, y)])


def logical_and(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Whether both are true (not zero).

    Example:
        >>> print(logical_and(True, 2))
        True
    """
    return ops.and_(*_pair("logical_and", x, y))


def logical_or(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Whether either is true (not zero)."""
    return ops.or_(*_pair("logical_or", x, y))


def logical_xor(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Whether exactly one is true (not zero)."""
    return ops.xor(*_pair("logical_xor", x, y))


def logical_not(x: ArrayLike, /) -> Array:
    """Whether it is zero."""
    return ops.not_(truth("logical_not", 0, x))


def _parts(name: str, x: object) -> tuple[Any, ArrayType]:
    operand = coerce(name, 0, x)
    return operand, operand_type(operand)


def _constant(operand: Any, value: bool) -> Array:
    return filled(operand_type(operand).shape, np.bool_(value))


def isfinite(x: ArrayLike, /) -> Array:
    """Whether it is neither infinite nor NaN.

    Example:
        >>> print(isfinite(float("inf")))
        False
    """
    operand, type = _parts("isfinite", x)
    if is_complex(type.dtype):
        return ops.and_(ops.is_finite(ops.real(operand)), ops.is_finite(ops.imag(operand)))
    return ops.is_finite(operand) if is_floating(type.dtype) else _constant(operand, True)


def isnan(x: ArrayLike, /) -> Array:
    """Whether it is not a number.

    Example:
        >>> print(isnan(float("nan")))
        True
    """
    operand, type = _parts("isnan", x)
    if is_floating(type.dtype) or is_complex(type.dtype):
        return ops.compare(operand, operand, direction="ne")
    return _constant(operand, False)


def isinf(x: ArrayLike, /) -> Array:
    """Whether it is infinite."""
    operand, type = _parts("isinf", x)
    if is_complex(type.dtype):
        return ops.or_(isinf(ops.real(operand)), isinf(ops.imag(operand)))
    if is_floating(type.dtype):
        return ops.compare(ops.abs(operand), type.dtype.type(np.inf), direction="eq")
    return _constant(operand, False)


def _is_infinity(name: str, x: object, value: float) -> Array:
    operand, type = _parts(name, x)
    if is_complex(type.dtype):
        raise DTypeError(
            f"{name} is not defined for complex numbers", fix="ask for the real or imaginary part"
        )
    if is_floating(type.dtype):
        return ops.compare(operand, type.dtype.type(value), direction="eq")
    return _constant(operand, False)


def isposinf(x: ArrayLike, /) -> Array:
    """Whether it is positive infinity."""
    return _is_infinity("isposinf", x, np.inf)


def isneginf(x: ArrayLike, /) -> Array:
    """Whether it is negative infinity."""
    return _is_infinity("isneginf", x, -np.inf)


def iscomplex(x: ArrayLike) -> Array:
    """Whether the imaginary part is not zero."""
    operand, type = _parts("iscomplex", x)
    if is_complex(type.dtype):
        part = ops.imag(operand)
        return ops.compare(part, zero_like(part), direction="ne")
    return _constant(operand, False)


def isreal(x: ArrayLike) -> Array:
    """Whether the imaginary part is zero."""
    return ops.not_(iscomplex(x))


def iscomplexobj(x: Any) -> bool:
    """Whether the element type is complex, whatever the elements are."""
    return is_array_like(x) and is_complex(operand_type(coerce("iscomplexobj", 0, x)).dtype)


def isrealobj(x: Any) -> bool:
    """Whether the element type is not complex."""
    return not iscomplexobj(x)


def isscalar(element: Any) -> bool:
    """Whether it is a scalar; an array without axes counts as one, unlike in NumPy."""
    return is_array_like(element) and operand_type(coerce("isscalar", 0, element)).shape == ()

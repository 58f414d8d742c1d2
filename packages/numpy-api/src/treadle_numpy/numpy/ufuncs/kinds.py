"""Questions about numbers: finite, NaN, real."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, ArrayType, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex, is_floating
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.coerce import ArrayLike, coerce, is_array_like, operand_type
from treadle_numpy.operands.out_sharding import lying_like
from treadle_numpy.operands.scalars import zero_like

__all__ = [
    "iscomplex",
    "iscomplexobj",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "iterable",
]


def _parts(name: str, x: object) -> tuple[Operand, ArrayType]:
    operand = coerce(name, 0, x)
    return operand, operand_type(operand)


def _constant(operand: Operand, value: bool) -> Array:
    return lying_like(operand, filled(operand.shape, np.bool_(value)))


def isfinite(x: ArrayLike, /) -> Array:
    """Return whether it is neither infinite nor NaN.

    Example:
        >>> print(isfinite(float("inf")))
        False
    """
    operand, type = _parts("isfinite", x)
    if is_complex(type.dtype):
        return ops.and_(ops.is_finite(ops.real(operand)), ops.is_finite(ops.imag(operand)))
    return ops.is_finite(operand) if is_floating(type.dtype) else _constant(operand, True)


def isnan(x: ArrayLike, /) -> Array:
    """Return whether it is not a number.

    Example:
        >>> print(isnan(float("nan")))
        True
    """
    operand, type = _parts("isnan", x)
    if is_floating(type.dtype) or is_complex(type.dtype):
        return ops.compare(operand, operand, direction="ne")
    return _constant(operand, False)


@composed
def isinf(x: ArrayLike, /) -> Array:
    """Return whether it is infinite.

    Example:
        >>> print(isinf(np.array([1.0, np.inf])))
        [False  True]
    """
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


def isposinf(x: ArrayLike, /, out: object = None) -> Array:
    """Return whether it is positive infinity.

    Example:
        >>> print(isposinf(np.array([-np.inf, np.inf])))
        [False  True]
    """
    named_only("isposinf", out=out)
    return _is_infinity("isposinf", x, np.inf)


def isneginf(x: ArrayLike, /, out: object = None) -> Array:
    """Return whether it is negative infinity.

    Example:
        >>> print(isneginf(np.array([-np.inf, np.inf])))
        [ True False]
    """
    named_only("isneginf", out=out)
    return _is_infinity("isneginf", x, -np.inf)


def iscomplex(x: ArrayLike) -> Array:
    """Return whether the imaginary part is not zero.

    Example:
        >>> print(iscomplex(np.array([1 + 1j, 2])))
        [ True False]
    """
    operand, type = _parts("iscomplex", x)
    if is_complex(type.dtype):
        part = ops.imag(operand)
        return ops.compare(part, zero_like(part), direction="ne")
    return _constant(operand, False)


def isreal(x: ArrayLike) -> Array:
    """Return whether the imaginary part is zero.

    Example:
        >>> print(isreal(np.array([1 + 1j, 2])))
        [False  True]
    """
    operand, type = _parts("isreal", x)
    if is_complex(type.dtype):
        part = ops.imag(operand)
        return ops.compare(part, zero_like(part), direction="eq")
    return _constant(operand, True)


def iscomplexobj(x: ArrayLike) -> bool:
    """Return whether the element type is complex, whatever the elements are.

    Example:
        >>> print(iscomplexobj(np.array([1 + 0j])))
        True
    """
    type = getattr(x, "type", None)
    if type.__class__ is ArrayType:  # the fast path for arrays
        return is_complex(type.dtype)
    return is_array_like(x) and is_complex(operand_type(coerce("iscomplexobj", 0, x)).dtype)


def isrealobj(x: ArrayLike) -> bool:
    """Return whether the element type is not complex.

    Example:
        >>> print(isrealobj(np.array([1, 2, 3])))
        True
    """
    return not iscomplexobj(x)


def isscalar(element: ArrayLike) -> bool:
    """Return whether it is a scalar; an array without axes counts as one, unlike in NumPy.

    Example:
        >>> print(isscalar(3))
        True
    """
    return is_array_like(element) and operand_type(coerce("isscalar", 0, element)).shape == ()


def iterable(y: object) -> bool:
    """Return whether `iter(y)` works: not for numbers and for arrays without axes.

    Example:
        >>> iterable([1, 2]), iterable(3)
        (True, False)
    """
    if isinstance(y, Array):
        return y.ndim > 0
    try:
        iter(y)  # type: ignore[call-overload]  # that is the question
    except TypeError:
        return False
    return True

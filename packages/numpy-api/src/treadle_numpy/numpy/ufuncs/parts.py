"""Parts of complex numbers."""

from __future__ import annotations

from treadle_ir import Array, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex, is_inexact
from treadle_ir.errors import alias, flags
from treadle_numpy.numpy.ufuncs.trigonometry import rad2deg
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.out_sharding import lying_like
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import zero_like

__all__ = ["angle", "conj", "conjugate", "imag", "real"]


def real(val: ArrayLike, /) -> Array:
    """Return the real part.

    Example:
        >>> print(real(1 + 2j))
        1.0
    """
    operand = coerce("real", 0, val)
    if is_complex(operand.dtype):
        return ops.real(operand)
    return coerce_array("real", 0, operand)


def imag(val: ArrayLike, /) -> Array:
    """Return the imaginary part; zeros for real numbers.

    Example:
        >>> print(imag(1 + 2j))
        2.0
    """
    operand = coerce("imag", 0, val)
    if is_complex(operand.dtype):
        return ops.imag(operand)
    return lying_like(operand, filled(operand.shape, zero_like(operand)))


def conjugate(x: ArrayLike, /) -> Array:
    """Return the complex conjugate; real numbers, integers and booleans stay as they are.

    Example:
        >>> print(conjugate(1 + 2j))
        (1-2j)
    """
    operand = coerce("conjugate", 0, x)
    if is_complex(operand.dtype):
        return ops.conjugate(operand)
    return coerce_array("conjugate", 0, operand)


conj = alias(conjugate, "conj")


@composed
def angle(z: ArrayLike, deg: bool = False) -> Array:
    """Return the angle of a complex number.

    Example:
        >>> print(angle(1j, deg=True).round(4))
        90.0
    """
    flags("angle", deg=deg)
    operand = coerce("angle", 0, z)
    dtype = operand.dtype
    if not is_complex(dtype):  # not weak and not by width
        operand = converted(operand, dtype if is_inexact(dtype) else default_dtype(float))
    if is_complex(dtype):
        result = ops.atan2(ops.imag(operand), ops.real(operand))
    else:
        result = ops.atan2(lying_like(operand, filled(operand.shape, zero_like(operand))), operand)
    return rad2deg(result) if deg else result

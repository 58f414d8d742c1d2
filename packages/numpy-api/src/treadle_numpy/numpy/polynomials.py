"""Polynomials given by their coefficients."""

from __future__ import annotations

from treadle_ir import Array, Operand, ShapeError, composed_in_numpy, ops
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy import in_numpy
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import converted

__all__ = ["polyval"]


@composed_in_numpy(in_numpy.polyval)
def polyval(p: ArrayLike, x: ArrayLike, *, unroll: int | None = None) -> Array:
    """A polynomial's value, by Horner's rule; the highest coefficient first.

    Example:
        >>> import numpy as np
        >>> print(polyval(np.array([1, 0, 2], np.int32), 3))
        11
    """
    coefficients = coerce_array("polyval", 0, p)
    if not coefficients.ndim:
        raise ShapeError("polyval: p must have an axis of coefficients, got a scalar")
    operand: Operand = coerce("polyval", 1, x)
    result = multiply(operand, coefficients.dtype.type(0))
    for i in range(coefficients.shape[0]):
        one = ops.reshape(slice_along(coefficients, 0, i, i + 1), shape=coefficients.shape[1:])
        result = add(multiply(result, operand), one)
    return array_of(converted(result, result.dtype))

"""Polynomials given by their coefficients."""

from __future__ import annotations

from typing import Final

from treadle_ir import Array, Operand, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import is_symbolic_dim
from treadle_ir.errors import integer_or_none, refused
from treadle_numpy.lax.control.scan import scan
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy import in_numpy
from treadle_numpy.numpy.dtypes.questions import result_type
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.broadcast import check_settings, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.promote import converted

__all__ = ["polyval"]

_FEW: Final = 16  # steps that are written out


@composed(host=in_numpy.polyval)
def polyval(p: ArrayLike, x: ArrayLike, *, unroll: int | None = None) -> Array:
    """Return a polynomial's value, by Horner's rule; the highest coefficient first.

    Shapes:
        p: [n, ...], polynomials along the first axis; what is left broadcasts with x

    `unroll` steps, 16 by default, make one step of a loop.

    Raises:
        ShapeError: p is a scalar, or the shapes do not fit.
        ArgumentError: `unroll` is less than 1.

    Example:
        >>> import numpy as np
        >>> print(polyval(np.array([1, 0, 2], np.int32), 3))
        11
    """
    steps = integer_or_none("polyval", "unroll", unroll)
    if steps is not None and steps < 1:
        raise refused("polyval", "unroll", "1 or more", unroll)
    coefficients = coerce_array("polyval", 0, p)
    if not coefficients.ndim:
        raise ShapeError("polyval: p must have an axis of coefficients, got a scalar")
    operand: Operand = coerce("polyval", 1, x)
    check_settings("polyval", coefficients, operand)
    shape = common_shape("polyval", [operand_type(operand).shape, coefficients.shape[1:]])
    result = filled(shape, result_type(coefficients, x).type(0))
    count = coefficients.shape[0]
    if not is_symbolic_dim(count) and count <= (steps or _FEW):
        for i in range(count):
            one = ops.reshape(slice_along(coefficients, 0, i, i + 1), shape=coefficients.shape[1:])
            result = add(multiply(result, operand), one)
        return result

    def step(value: Array, one: Array) -> tuple[Array, None]:
        return add(multiply(value, operand), one), None

    return scan(step, result, converted(coefficients, result.dtype), unroll=steps or _FEW)[0]

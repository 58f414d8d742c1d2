"""Greatest common divisors and least common multiples."""

from __future__ import annotations

from treadle_ir import Array, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_integer, is_signed
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape, promote_shapes
from treadle_numpy.operands.coerce import ArrayLike, operand_type
from treadle_numpy.operands.promote import converted

__all__ = ["gcd", "lcm"]


@composed
def gcd(x1: ArrayLike, x2: ArrayLike) -> Array:
    """Return the greatest common divisor of integers, element by element; of 0 and n it is the absolute value of n.

    Raises:
        DTypeError: an operand is not of integer type.
        ShapeError: the operands have no common shape.

    Example:
        >>> import numpy as np
        >>> print(gcd(12, np.array([8, 18, 0])))
        [ 4  6 12]
    """
    x, y, weak = _integers("gcd", x1, x2)
    return _marked(ops.greatest_common_divisor(x, y), weak)


@composed
def lcm(x1: ArrayLike, x2: ArrayLike) -> Array:
    """Return the least common multiple of integers, element by element; of 0 and n it is 0.

    Raises:
        DTypeError: an operand is not of integer type.
        ShapeError: the operands have no common shape.

    Example:
        >>> import numpy as np
        >>> print(lcm(12, np.array([8, 18, 0])))
        [24 36  0]
    """
    x, y, weak = _integers("lcm", x1, x2)
    divisor = ops.greatest_common_divisor(x, y)
    zero, one = x.dtype.type(0), x.dtype.type(1)
    safe = ops.select(ops.compare(divisor, zero, direction="eq"), one, divisor)
    product = ops.multiply(ops.divide(_size(x), safe), _size(y))
    return _marked(product, weak)


def _integers(function: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array, bool]:
    """Return two arrays of one integer type and shape, and whether they are both weak."""
    operands = promote_shapes(function, x1, x2)
    dtype = operands[0].dtype
    if not is_integer(dtype):
        raise DTypeError(
            f"{function} takes integers, got {operand_type(operands[0])}",
            fix="convert with .astype(int)",
        )
    shape = common_shape(function, [x.shape for x in operands])
    weak = all(operand_type(x).weak for x in operands)
    x, y = [array_of(broadcast_to_shape(converted(each, dtype), shape)) for each in operands]
    return x, y, weak


def _size(x: Array) -> Array:
    """Return the absolute value."""
    return ops.abs(x) if is_signed(x.dtype) else x


def _marked(x: Operand, weak: bool) -> Array:
    """Return the result, weak where both operands were."""
    return ops.convert(x, dtype=x.dtype, weak=True) if weak else array_of(x)

"""Greatest common divisors and least common multiples, by Euclid's algorithm on whole arrays."""

from __future__ import annotations

from treadle_ir import Array, DTypeError, Operand, ops
from treadle_ir.dtypes import is_integer, is_signed
from treadle_numpy.lax.control.loops import while_loop
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape, promote_shapes
from treadle_numpy.operands.coerce import ArrayLike, operand_type
from treadle_numpy.operands.promote import converted

__all__ = ["gcd", "lcm"]


def gcd(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The greatest common divisor of integers, element by element; of 0 and n it is the absolute value of n.

    Raises:
        DTypeError: an operand is not of integer type.
        ShapeError: the operands have no common shape.

    Example:
        >>> import numpy as np
        >>> print(gcd(12, np.array([8, 18, 0])))
        [ 4  6 12]
    """
    x, y, weak = _integers("gcd", x1, x2)
    return _marked(_divisor(x, y), weak)


def lcm(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The least common multiple of integers, element by element; of 0 and n it is 0.

    Raises:
        DTypeError: an operand is not of integer type.
        ShapeError: the operands have no common shape.

    Example:
        >>> import numpy as np
        >>> print(lcm(12, np.array([8, 18, 0])))
        [24 36  0]
    """
    x, y, weak = _integers("lcm", x1, x2)
    divisor = _divisor(x, y)
    zero, one = x.dtype.type(0), x.dtype.type(1)
    safe = ops.select(ops.compare(divisor, zero, direction="eq"), one, divisor)
    product = ops.multiply(ops.divide(_size(x), safe), _size(y))
    return _marked(product, weak)


def _integers(function: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array, bool]:
    """Two arrays of one integer type and shape, and whether they are both weak."""
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


def _divisor(x: Array, y: Array) -> Array:
    """Euclid's algorithm: as long as a second number is not 0, it comes first, and second what it leaves over."""
    zero, one = x.dtype.type(0), x.dtype.type(1)

    def unfinished(pair: tuple[Array, Array]) -> Array:
        rest = ops.compare(pair[1], zero, direction="ne")
        return ops.reduce_or(rest, axes=tuple(range(rest.ndim)))

    def step(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        first, second = pair
        done = ops.compare(second, zero, direction="eq")
        left = ops.remainder(first, ops.select(done, one, second))
        return ops.select(done, first, second), ops.select(done, zero, left)

    result: Array = while_loop(unfinished, step, (x, y))[0]
    return _size(result)


def _size(x: Array) -> Array:
    """The absolute value."""
    return ops.abs(x) if is_signed(x.dtype) else x


def _marked(x: Operand, weak: bool) -> Array:
    """The result, weak where both operands were."""
    return ops.convert(x, dtype=x.dtype, weak=True) if weak else array_of(x)

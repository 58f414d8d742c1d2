"""Arithmetic: sums, products, quotients, remainders."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from treadle_ir import Array, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex, is_inexact, is_integer, is_unsigned
from treadle_ir.errors import alias
from treadle_ir.primitives import elementwise as primitives
from treadle_numpy.numpy import in_numpy
from treadle_numpy.numpy.ufuncs.making import binary, integers
from treadle_numpy.numpy.ufuncs.universal import universal
from treadle_numpy.operands.arrays import bind, copy_if_aliased
from treadle_numpy.operands.broadcast import broadcast
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.scalars import number, zero_like

__all__ = [
    "add",
    "divide",
    "divmod",
    "floor_divide",
    "fmod",
    "mod",
    "multiply",
    "negative",
    "positive",
    "reciprocal",
    "remainder",
    "subtract",
    "true_divide",
]

add = universal(
    binary(
        "add",
        primitives.Add(),
        "The sum; of booleans, whether either is true.",
        "print(add(1, 2))\n        3",
    ),
    identity=0,
)
subtract = universal(
    binary("subtract", primitives.Subtract(), "The difference.", "print(subtract(5, 2))\n        3")
)


def _masked(x: ArrayLike, y: ArrayLike) -> Array | None:
    """Return the product of floats and an array of booleans: zero wherever that is false, also of infinities and nans.

    XLA compiles a product with converted booleans to this choice; without jit it is the same one.
    """
    booleans = [getattr(each, "dtype", None) is _BOOL for each in (x, y)]
    if booleans[0] is booleans[1]:
        return None
    operands = broadcast("multiply", [coerce("multiply", 0, x), coerce("multiply", 1, y)])
    mask, values = operands if booleans[0] else operands[::-1]
    if not is_inexact(values.dtype):
        return None
    return ops.select(mask, values, zero_like(values))


multiply = universal(
    binary(
        "multiply",
        primitives.Multiply(),
        "The product; of booleans, whether both are true; zero wherever a float meets a boolean that is false.",
        "print(multiply(2, 3))\n        6",
        mixed=_masked,
    ),
    identity=1,
)
divide = binary(
    "divide",
    primitives.Divide(),
    "The quotient, as floats: integers are converted first.",
    "print(divide(1, 2))\n        0.5",
    inexact=True,
)
true_divide = alias(divide, "true_divide")


@partial(universal, nin=1)
def negative(x: ArrayLike, /) -> Array:
    """Return the number with the opposite sign.

    Raises:
        DTypeError: the operand is boolean; use `logical_not`.

    Example:
        >>> print(negative(3))
        -3
    """
    return bind(_NEGATE, coerce("negative", 0, x))


_BOOL: Final = np.dtype(np.bool_)
_NEGATE: Final = primitives.Negate()


def positive(x: ArrayLike, /) -> Array:
    """Return the operand itself, in a buffer of its own: it stays when the operand is donated.

    Example:
        >>> print(positive(-3))
        -3
    """
    return copy_if_aliased(coerce_array("positive", 0, x), x)


@composed(host=in_numpy.floor_divide)
def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Return the quotient rounded toward negative infinity.

    Differs from NumPy: dividing an integer by zero gives a value (-1 or -2), not a warning and 0.

    Raises:
        DTypeError: the operands are booleans or complex.

    Example:
        >>> print(floor_divide(7, -2))
        -4
    """
    x, y = integers("floor_divide", x1, x2)
    dtype = x.dtype
    if is_unsigned(dtype):
        return bind(_DIVIDE, x, y)
    if is_integer(dtype):
        quotient = bind(_DIVIDE, x, y)
        exact = ops.compare(ops.remainder(x, y), dtype.type(0), direction="eq")
        same_sign = ops.compare(ops.sign(x), ops.sign(y), direction="eq")
        return ops.select(ops.or_(same_sign, exact), quotient, ops.subtract(quotient, number(1, x)))
    if is_complex(dtype):
        raise DTypeError(
            "floor_divide does not support complex-valued inputs",
            fix="round the parts of `x / y` as you mean it",
        )
    # floor(x / y) is off where the quotient is rounded up to an integer: take away the remainder first.
    quotient, _ = _float_divmod(x, y)
    return quotient


_DIVIDE: Final = primitives.Divide()


def _float_divmod(x: Operand, y: Operand) -> tuple[Array, Array]:
    """Quotient and remainder of floats: `x - mod` is a multiple of y, so the quotient is near an integer."""
    zero = x.dtype.type(0)
    rest = ops.remainder(x, y)
    whole = ops.divide(ops.subtract(x, rest), y)
    wrong = ops.and_(
        ops.compare(rest, zero, direction="ne"),
        ops.compare(
            ops.compare(rest, zero, direction="lt"),
            ops.compare(y, zero, direction="lt"),
            direction="ne",
        ),
    )
    rest = ops.select(wrong, ops.add(rest, y), rest)
    whole = ops.select(wrong, ops.subtract(whole, number(1, x)), whole)
    whole = ops.round_nearest_even(whole)
    # by zero, what is infinite stays so, although nothing is left over
    return ops.select(ops.compare(y, zero, direction="eq"), ops.divide(x, y), whole), rest


@composed
def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Return the remainder of `x1` after division by `x2`; it has the sign of `x2`.

    Raises:
        DTypeError: the operands are booleans.

    Example:
        >>> print(remainder(-7, 2))
        1
    """
    x, y = integers("remainder", x1, x2)
    dtype = x.dtype
    zero = dtype.type(0)
    rest = ops.remainder(x, y)
    if is_unsigned(dtype):
        return ops.select(ops.compare(y, zero, direction="eq"), zero_like(rest), rest)
    wrong = ops.and_(
        ops.compare(rest, zero, direction="ne"),
        ops.compare(
            ops.compare(rest, zero, direction="lt"),
            ops.compare(y, zero, direction="lt"),
            direction="ne",
        ),
    )
    result = ops.select(wrong, ops.add(rest, y), rest)
    if is_integer(dtype):
        return ops.select(ops.compare(y, zero, direction="eq"), zero_like(result), result)
    return result


mod = alias(remainder, "mod")


@composed
def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Return the remainder of `x1` after division by `x2` rounded toward zero; it has the sign of `x1`.

    Example:
        >>> print(fmod(-7, 3))
        -1
    """
    x, y = integers("fmod", x1, x2)
    rest = ops.remainder(x, y)
    if not is_integer(x.dtype):
        return rest
    return ops.select(ops.compare(y, zero_like(y), direction="eq"), zero_like(rest), rest)


@composed(host=in_numpy.divmod)
def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, Array]:
    """Apply `floor_divide` and `remainder`.

    Example:
        >>> print(*divmod(7, 2))
        3 1
    """
    return floor_divide(x1, x2), remainder(x1, x2)


def reciprocal(x: ArrayLike, /) -> Array:
    """Compute `1 / x`, as a float.

    Example:
        >>> print(reciprocal(4.0))
        0.25
    """
    operand = inexact_operand("reciprocal", x)
    return ops.integer_power(operand, exponent=-1)

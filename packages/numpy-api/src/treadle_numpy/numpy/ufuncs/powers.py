"""Powers and roots."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import Array, DTypeError, Literal, ops
from treadle_ir.calling import composed
from treadle_ir.core import promoted
from treadle_ir.core.dtypes import is_bool, is_inexact, is_integer
from treadle_ir.errors import alias
from treadle_ir.primitives import elementwise as primitives
from treadle_numpy.numpy.ufuncs.making import INT32, unary
from treadle_numpy.operands.arrays import bind
from treadle_numpy.operands.broadcast import broadcast, promote_shapes
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.promote import with_dtype

__all__ = ["cbrt", "float_power", "pow", "power", "sqrt", "square"]

_SQUARE: Final = primitives.Square()


@composed
def power(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Compute `x1 ** x2`. A Python integer as exponent gives repeated multiplication, exact for integers.

    Raises:
        DTypeError: an integer to a negative integer power; convert one of them to float.

    Example:
        >>> print(power(2.0, 3))
        8.0
    """
    exponent = _static_integer(x2)
    if exponent is not None:
        x = coerce("power", 0, x1)
        dtype = x.dtype
        if is_bool(dtype):
            x, dtype = with_dtype(x, operand_type(x), INT32, False), INT32
        if exponent < 0 and is_integer(dtype):
            raise DTypeError(
                f"Integers cannot be raised to negative powers, got {operand_type(x)} ** {exponent}",
                fix="use a float: `x ** -1.0` or `1 / x`",
            )
        return bind(_SQUARE, x) if exponent == 2 else ops.integer_power(x, exponent=exponent)
    x, y = coerce("power", 0, x1), coerce("power", 1, x2)
    if is_bool(x.dtype) and (is_bool(y.dtype) or (operand_type(y).weak and is_integer(y.dtype))):
        x = with_dtype(x, operand_type(x), INT32, False)
    types = operand_type(x), operand_type(y)
    if is_inexact(types[0].dtype) and is_integer(types[1].dtype) and not types[0].weak:
        dtype, weak = (
            types[0].dtype,
            False,
        )  # as promotion has it, and not refused when that is strict
    else:
        dtype, weak = promoted(types)
    # a strong integer as exponent makes the result strong; a boolean does so for integers
    exponent_type = types[1]
    if (
        types[0].weak
        and not isinstance(y, Literal)
        and not exponent_type.weak
        and not (is_bool(exponent_type.dtype) and is_inexact(dtype))
    ):
        weak = False
    x, y = [with_dtype(v, t, dtype, weak) for v, t in zip((x, y), types, strict=True)]
    x, y = broadcast("power", [x, y])
    return ops.power(x, y)


def _static_integer(x: object) -> int | None:
    """Return the value of an exponent that is known to Python as an integer."""
    if isinstance(x, (int, np.integer)) and not isinstance(x, bool) and hasattr(x, "__index__"):
        return int(x)
    return None


pow = alias(power, "pow")


@composed
def float_power(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Compute `x ** y`, always as floats.

    Example:
        >>> print(float_power(2, -1))
        0.5
    """
    a, b = promote_shapes("float_power", x, y, inexact=True)
    return ops.power(a, b)


def square(x: ArrayLike, /) -> Array:
    """Compute `x * x`.

    Example:
        >>> print(square(3))
        9
    """
    operand = coerce("square", 0, x)
    type = operand_type(operand)
    return bind(
        _SQUARE, with_dtype(operand, type, INT32, False) if is_bool(type.dtype) else operand
    )


sqrt = unary("sqrt", primitives.Sqrt(), "The square root.", "print(sqrt(4))\n        2.0")
cbrt = unary(
    "cbrt", primitives.Cbrt(), "The cube root.", 'print(f"{float(cbrt(8.0)):.4f}")\n        2.0000'
)

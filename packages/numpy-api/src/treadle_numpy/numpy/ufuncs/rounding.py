"""Rounding."""

from __future__ import annotations

import builtins
from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_bool, is_complex, is_inexact, is_integer
from treadle_ir.errors import alias, integer
from treadle_ir.primitives import elementwise as primitives
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.ufuncs.making import rounding
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of, bind
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import number, zero_like

__all__ = ["around", "ceil", "fix", "floor", "rint", "round", "trunc"]

floor = rounding(
    "floor",
    primitives.Floor(),
    "The greatest integer that is not above x; integers are.",
    "print(floor(-1.2))\n        -2.0",
)
ceil = rounding(
    "ceil",
    primitives.Ceil(),
    "The least integer that is not below x; integers are.",
    "print(ceil(1.2))\n        2.0",
)
_ROUND: Final = primitives.RoundNearestEven()


@composed
def rint(x: ArrayLike, /) -> Array:
    """Return the nearest integer, the even one of two, as a float.

    Example:
        >>> print(rint(2.5))
        2.0
    """
    operand = coerce("rint", 0, x)
    if not is_inexact(operand.dtype):
        operand = converted(operand, default_dtype(float))  # not weak and not by width
    if is_complex(operand.dtype):
        return ops.complex(bind(_ROUND, ops.real(operand)), bind(_ROUND, ops.imag(operand)))
    return bind(_ROUND, operand)


@composed
def round(a: ArrayLike, decimals: int = 0, out: None = None) -> Array:
    """Rounded to a number of decimals, halves to even; integers stay as they are.

    Raises:
        DTypeError: the operand is boolean, or integers are to be rounded to negative decimals.

    Example:
        >>> print(round(2.5))
        2.0
    """
    decimals = integer("round", "decimals", decimals)
    named_only("round", out=out)
    operand = coerce("round", 0, a)
    type = operand_type(operand)
    dtype = type.dtype
    if is_bool(dtype):
        raise DTypeError(
            "round: booleans cannot be rounded", fix="convert to integers with .astype(int)"
        )
    if is_integer(dtype):
        if decimals < 0:
            raise DTypeError(
                f"round: integers cannot be rounded to {decimals} decimals",
                fix="convert to floats with .astype(float)",
            )
        return coerce_array("round", 0, operand)
    if is_complex(dtype):
        return ops.complex(round(ops.real(operand), decimals), round(ops.imag(operand), decimals))
    if decimals == 0:
        return bind(_ROUND, operand)
    if dtype.itemsize < _WIDE.itemsize:  # whose multiples by powers of ten are soon too great
        return array_of(converted(round(converted(operand, _WIDE), decimals), dtype))
    if not -400 < decimals < 400:
        raise ArgumentError(f"round: no float has {decimals} decimals")
    if decimals > 1 and 10.0**decimals > float(finfo(dtype).max):  # its numbers have fewer
        return coerce_array("round", 0, operand)
    if decimals < 0 and 10.0**-decimals > float(finfo(dtype).max):
        return ops.select(ops.is_finite(operand), zero_like(operand), operand)
    factor = number(10.0 ** builtin_abs(decimals), operand)
    if decimals > 0:
        scaled = ops.multiply(operand, factor)
        rounded = ops.divide(bind(_ROUND, scaled), factor)
        # numbers whose multiples are too great have no such decimals
        return ops.select(ops.is_finite(scaled), rounded, bind(_ROUND, operand))
    return ops.multiply(bind(_ROUND, ops.divide(operand, factor)), factor)


builtin_abs: Final = builtins.abs
_WIDE: Final = np.dtype(np.float32)
around = alias(round, "around")


@composed
def trunc(x: ArrayLike) -> Array:
    """Return the integer part, toward zero.

    Example:
        >>> print(trunc(-1.7))
        -1.0
    """
    operand = coerce("trunc", 0, x)
    type = operand_type(operand)
    if not is_inexact(type.dtype):
        return coerce_array("trunc", 0, operand)
    below = ops.compare(operand, zero_like(operand), direction="lt")
    return ops.select(below, ops.ceil(operand), ops.floor(operand))


fix = alias(trunc, "fix")

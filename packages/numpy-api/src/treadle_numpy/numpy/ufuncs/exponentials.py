"""Exponentials and logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.primitives import elementwise as primitives
from treadle_numpy.lax.logarithms import logarithm
from treadle_numpy.numpy.ufuncs.making import unary
from treadle_numpy.numpy.ufuncs.universal import universal
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import ArrayLike, operand_type
from treadle_numpy.operands.promote import as_weak, inexact_operand, without_weak_arrays
from treadle_numpy.operands.scalars import number, zero_like

__all__ = ["exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "logaddexp", "logaddexp2"]

exp = unary("exp", primitives.Exponential(), "`e ** x`.", "print(exp(0.0))\n        1.0")
exp2 = unary(
    "exp2",
    primitives.Exponential2(),
    "`2 ** x`.",
    'print(f"{float(exp2(3.0)):.4f}")\n        8.0000',
)
expm1 = unary(
    "expm1",
    primitives.ExponentialMinusOne(),
    "`e ** x - 1`, exact near 0.",
    "print(expm1(0.0))\n        0.0",
)
log = unary("log", primitives.Log(), "The natural logarithm.", "print(log(1.0))\n        0.0")
log1p = unary(
    "log1p",
    primitives.LogPlusOne(),
    "`log(1 + x)`, exact near 0.",
    "print(log1p(0.0))\n        0.0",
)


@composed
def log2(x: ArrayLike, /) -> Array:
    """Return the logarithm to base 2: minus infinity at 0, NaN for negative real numbers; also of complex numbers.

    The logarithm of a power of 2 is an integer.

    Example:
        >>> print(log2(8.0))
        3.0
    """
    operand = inexact_operand("log2", x)
    result = logarithm(2, operand)
    return as_weak(result) if operand_type(operand).weak else result


@composed
def log10(x: ArrayLike, /) -> Array:
    """Return the logarithm to base 10: minus infinity at 0, NaN for negative real numbers; also of complex numbers.

    The logarithm of the float next to a power of 10 is an integer.

    Example:
        >>> print(log10(1000.0))
        3.0
    """
    return logarithm(10, inexact_operand("log10", x))


def log_of_sum(x: Operand, y: Operand, base: float | None = None) -> Array:
    """Compute `log(e^x + e^y)`, or the logarithm to another base, of real operands of one type."""
    # max + log1p(e^-|x - y|); where x == y both may be infinite, and x - y is not a number
    top = ops.maximum(x, y)
    gap = ops.subtract(x, y)
    below = ops.negate(ops.abs(gap))
    if base is None:
        near = ops.log_plus_one(ops.exponential(below))
    else:
        scale = number(np.log(base), top)
        near = ops.divide(ops.log_plus_one(ops.exponential(ops.multiply(below, scale))), scale)
    return ops.select(ops.compare(gap, gap, direction="ne"), ops.add(x, y), ops.add(top, near))


@partial(custom_jvp, nondiff_argnums=(0,), pure=True)
def _log_of_sum(base: float | None, x: Operand, y: Operand) -> Array:
    return log_of_sum(x, y, base)


@_log_of_sum.defjvp
def _log_of_sum_jvp(
    base: float | None, primals: Sequence[Operand], tangents: Sequence[Operand]
) -> tuple[Operand, Operand]:
    # The weights e^x / (e^x + e^y) and e^y / (e^x + e^y) are logistic functions of the gap, which are smooth at a tie.
    # Operands that are infinite and equal weigh the same.
    (x, y), (dx, dy) = primals, tangents
    equal = ops.compare(x, y, direction="eq")
    gap = ops.subtract(x, y)
    gap = ops.select(equal, ops.subtract(_finite(x), _finite(y)), gap)
    if base is not None:
        gap = ops.multiply(gap, number(np.log(base), gap))
    by_x = ops.multiply(dx, ops.logistic(gap))
    by_y = ops.multiply(dy, ops.logistic(ops.negate(gap)))
    return _log_of_sum(base, x, y), ops.add(by_x, by_y)


def _finite(x: Operand) -> Operand:
    """Return the operand where it is finite, else 0."""
    return ops.select(ops.is_finite(x), x, zero_like(x))


def _log_of_complex_sum(x: Operand, y: Operand) -> Array:
    """Compute `log(e^x + e^y)` of complex operands, with an imaginary part between -pi and pi."""
    first = ops.compare(ops.real(x), ops.real(y), direction="ge")
    top, other = ops.select(first, x, y), ops.select(first, y, x)
    bounded = ops.is_finite(ops.real(top))
    gap = ops.select(bounded, ops.subtract(other, top), zero_like(top))
    near = ops.add(top, ops.log_plus_one(ops.exponential(gap)))
    angle = ops.imag(near)
    turn = number(2 * np.pi, angle)
    turns = ops.multiply(ops.round_nearest_even(ops.divide(angle, turn)), turn)
    value = ops.complex(ops.real(near), ops.subtract(angle, turns))
    return ops.select(bounded, value, ops.add(x, y))


def _logaddexp(name: str, x1: ArrayLike, x2: ArrayLike, base: float | None) -> Array:
    x, y = promote_shapes(name, x1, x2, inexact=True)
    if base is not None:
        x, y = without_weak_arrays(x), without_weak_arrays(y)
    if is_complex(x.dtype):
        if base is None:
            return _log_of_complex_sum(x, y)
        scale = number(np.log(base), x)
        total = _log_of_complex_sum(ops.multiply(x, scale), ops.multiply(y, scale))
        return ops.divide(total, scale)
    result: Array = _log_of_sum(base, x, y)
    return result


@partial(universal, identity=-np.inf)
@composed
def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Compute `log(exp(x1) + exp(x2))`, without overflow.

    Example:
        >>> print(f"{float(logaddexp(1000.0, 1000.0)):.2f}")
        1000.69
    """
    return _logaddexp("logaddexp", x1, x2, None)


@partial(universal, identity=-np.inf)
@composed
def logaddexp2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Compute `log2(2 ** x1 + 2 ** x2)`, without overflow.

    Example:
        >>> print(logaddexp2(3.0, 3.0))
        4.0
    """
    return _logaddexp("logaddexp2", x1, x2, 2.0)

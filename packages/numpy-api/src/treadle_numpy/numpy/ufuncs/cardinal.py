"""The cardinal sine.

`sin(x) / x` is exact to rounding near 0, its derivatives `(cos(x) - sin(x) / x) / x` and so on are differences of
numbers that are almost equal there. They are spherical Bessel functions, whose derivatives are such functions again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array, Operand, composed, ops
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand, without_weak_arrays
from treadle_numpy.operands.scalars import number

__all__ = ["sinc"]


@partial(custom_jvp, nondiff_argnums=(0,), pure=True)
def _bessel(n: int, x: Operand) -> Array:
    """Return the spherical Bessel function of order n: by its series to x = n, by the recurrence in n beyond.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 10.1.2 (series), 10.1.11 (orders 0, 1),
        10.1.19 (recurrence), 10.1.20 (derivative).
    """
    if n == 0:
        at_zero = ops.compare(x, number(0, x), direction="eq")
        safe = ops.select(at_zero, number(1, x), x)
        return ops.select(at_zero, number(1, x), ops.divide(ops.sine(safe), safe))
    size = ops.abs(x)
    near = ops.compare(size, number(n, size), direction="lt")
    safe = ops.select(near, number(1, x), x)
    before, far = ops.cosine(safe), ops.sine(safe)  # orders -1 and 0, times x
    before, far = ops.divide(before, safe), ops.divide(far, safe)
    for m in range(n):
        steps = ops.divide(number(2 * m + 1, x), safe)
        before, far = far, ops.subtract(ops.multiply(steps, far), before)
    small = ops.select(near, x, number(0, x))
    square = ops.square(small)
    series: Operand = number(1, x)
    for k in range(
        _TERMS + 2 * n, 0, -1
    ):  # 1 - x^2 / (2 (2n + 3)) (1 - x^2 / (4 (2n + 5)) (1 - ...))
        factor = number(-0.5 / (k * (2 * (n + k) + 1)), x)
        series = ops.add(ops.multiply(ops.multiply(square, factor), series), number(1, x))
    for m in range(1, n + 1):
        series = ops.multiply(series, ops.divide(small, number(2 * m + 1, x)))
    return ops.select(near, series, far)


_TERMS: Final = 8  # and two for each order: those left out at x = n are below the rounding of f64


@_bessel.defjvp
def _bessel_jvp(
    n: int, primals: Sequence[Operand], tangents: Sequence[Operand]
) -> tuple[Operand, Operand]:
    (x,), (dx,) = primals, tangents
    slope: Operand = ops.negate(_bessel(1, x))
    if n:
        below = ops.multiply(number(n / (2 * n + 1), x), _bessel(n - 1, x))
        slope = ops.subtract(
            below, ops.multiply(number((n + 1) / (2 * n + 1), x), _bessel(n + 1, x))
        )
    return _bessel(n, x), ops.multiply(dx, slope)


@composed
def sinc(x: ArrayLike, /) -> Array:
    """`sin(pi x) / (pi x)`, 1 at 0.

    Example:
        >>> print(sinc(0.0))
        1.0
    """
    operand = without_weak_arrays(inexact_operand("sinc", x))
    result: Array = _bessel(0, ops.multiply(operand, number(np.pi, operand)))
    return result

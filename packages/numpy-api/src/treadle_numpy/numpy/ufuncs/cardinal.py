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
from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand, without_weak_arrays
from treadle_numpy.operands.scalars import number

__all__ = ["sinc"]


def _turned(t: Operand) -> tuple[Array, Array]:
    """`sin(pi t)` and `cos(pi t)`; of real numbers by the distance to a whole one, so that `pi t` is not rounded."""
    if is_complex(t.dtype):
        x = ops.multiply(t, number(np.pi, t))
        return ops.sine(x), ops.cosine(x)
    whole = ops.round_nearest_even(t)
    half = ops.floor(ops.multiply(whole, number(0.5, t)))
    odd = ops.compare(ops.add(half, half), whole, direction="ne")
    rest = ops.multiply(ops.subtract(t, whole), number(np.pi, t))
    sine, cosine = ops.sine(rest), ops.cosine(rest)
    return ops.select(odd, ops.negate(sine), sine), ops.select(odd, ops.negate(cosine), cosine)


@partial(custom_jvp, nondiff_argnums=(0,), pure=True)
def _bessel(n: int, t: Operand) -> Array:
    """Return the spherical Bessel function of order n at x = pi t: by its series to x = n, then by recurrence in n.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 10.1.2 (series), 10.1.11 (orders 0, 1),
        10.1.19 (recurrence), 10.1.20 (derivative).
    """
    size = ops.abs(t)
    infinite = ops.compare(size, number(np.inf, size), direction="eq")
    if n == 0:
        at_zero = ops.compare(t, number(0, t), direction="eq")
        safe = ops.select(ops.or_(at_zero, infinite), number(1, t), t)
        quotient = ops.divide(_turned(safe)[0], ops.multiply(safe, number(np.pi, t)))
        end = ops.select(at_zero, number(1, t), number(0, t))
        return ops.select(ops.or_(at_zero, infinite), end, quotient)
    x = ops.multiply(t, number(np.pi, t))
    near = ops.compare(ops.abs(x), number(n, size), direction="lt")
    turns = ops.select(ops.or_(near, infinite), number(1, t), t)
    safe = ops.multiply(turns, number(np.pi, t))
    far, before = _turned(turns)  # orders 0 and -1, times x
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
    return ops.select(near, series, ops.select(infinite, number(0, x), far))


_TERMS: Final = 8  # and two for each order: those left out at x = n are below the rounding of f64


@_bessel.defjvp
def _bessel_jvp(
    n: int, primals: Sequence[Operand], tangents: Sequence[Operand]
) -> tuple[Operand, Operand]:
    (t,), (dt,) = primals, tangents
    slope: Operand = ops.negate(_bessel(1, t))
    if n:
        below = ops.multiply(number(n / (2 * n + 1), t), _bessel(n - 1, t))
        slope = ops.subtract(
            below, ops.multiply(number((n + 1) / (2 * n + 1), t), _bessel(n + 1, t))
        )
    return _bessel(n, t), ops.multiply(dt, ops.multiply(slope, number(np.pi, t)))


@composed
def sinc(x: ArrayLike, /) -> Array:
    """`sin(pi x) / (pi x)`: 1 at 0, and 0 at all other whole numbers and at infinity, where NumPy's is not quite 0.

    Example:
        >>> print(sinc(0.0))
        1.0
    """
    operand = without_weak_arrays(inexact_operand("sinc", x))
    result: Array = _bessel(0, operand)
    return result

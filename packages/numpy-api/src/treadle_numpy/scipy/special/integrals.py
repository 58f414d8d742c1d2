"""Exponential, trigonometric and Fresnel integrals, and the dilogarithm."""

from __future__ import annotations

from treadle_ir import Array, ops
from treadle_ir.calling import composed
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.real import real_operand, real_operands
from treadle_numpy.operands.scalars import number

__all__ = ["exp1", "expi", "expn", "fresnel", "sici", "spence"]


@composed
def expi(x: ArrayLike) -> Array:
    """Return the exponential integral Ei, the principal value of the integral of `exp(t) / t` up to `x`.

    Exact to 12 units in the last place, but for its zero at 0.3725, where the absolute error is 1 unit.

    Example:
        >>> print(f"{float(expi(2.0)):.4f}")
        4.9542
    """
    return ops.expi(real_operand("expi", x, strong=True))


@composed
def exp1(x: ArrayLike) -> Array:
    """Return the exponential integral of order 1, `expn(1, x)`; NaN for negative `x`.

    Example:
        >>> print(f"{float(exp1(2.0)):.4f}")
        0.0489
    """
    p = real_operand("exp1", x, strong=True)
    return ops.expn(number(1, p), p)


@composed
def expn(n: ArrayLike, x: ArrayLike) -> Array:
    """Return the integral of `exp(-x t) / t ** n` for `t` from 1; NaN where `n` or `x` is negative, or `n` not whole.

    Exact to 50 units in the last place.

    Example:
        >>> print(f"{float(expn(2, 1.0)):.4f}")
        0.1485
    """
    return ops.expn(*real_operands("expn", n, x, strong=True))


@composed
def spence(x: ArrayLike) -> Array:
    """Return the dilogarithm of `1 - x`: the integral of `log(t) / (1 - t)` for `t` from 1 to `x`; NaN for negative
    `x`.

    Exact to 12 units in the last place.

    Example:
        >>> print(f"{float(spence(0.0)):.4f}")
        1.6449
    """
    return ops.spence(real_operand("spence", x, strong=True))


@composed
def sici(x: ArrayLike) -> tuple[Array, Array]:
    """Return the sine and the cosine integral.

    The cosine integral of a negative number is complex; its real part, the cosine integral of `-x`, is given. Exact
    to 4 units in the last place; the cosine integral near its zeros to 2 units of 1.

    Example:
        >>> print(*[f"{float(v):.4f}" for v in sici(2.0)])
        1.6054 0.4230
    """
    p = real_operand("sici", x, strong=True)
    return ops.sine_integral(p), ops.cosine_integral(ops.abs(p))


@composed
def fresnel(x: ArrayLike) -> tuple[Array, Array]:
    """Return the integrals of `sin(pi t^2 / 2)` and of `cos(pi t^2 / 2)` from 0 to `x`.

    Exact to 4 units in the last place, plus 1 for each unit of `x`.

    Example:
        >>> print(*[f"{float(v):.4f}" for v in fresnel(1.0)])
        0.4383 0.7799
    """
    p = real_operand("fresnel", x, strong=True)
    return ops.fresnel_sine(p), ops.fresnel_cosine(p)

"""Hypergeometric functions."""

from __future__ import annotations

from treadle_ir import Array, ops
from treadle_ir.calling import composed
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.real import real_operands

__all__ = ["hyp1f1", "hyp2f1"]


@composed
def hyp1f1(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """Kummer's hypergeometric function; NaN where `b` is 0, -1, -2, ...

    Exact to 20 units in the last place where the terms of the series have one sign, as for positive `a` and `b` and any
    `x` if `b > a`; elsewhere at the size of its greatest term. For `x < -600` parameters must be below 10.

    Differentiable by all arguments.

    Example:
        >>> print(f"{float(hyp1f1(1.0, 2.0, 0.5)):.4f}")
        1.2974
    """
    return ops.hyp1f1(*real_operands("hyp1f1", a, b, x, strong=True))


@composed
def hyp2f1(a: ArrayLike, b: ArrayLike, c: ArrayLike, x: ArrayLike) -> Array:
    """Gauss' hypergeometric function for `x <= 1`; NaN beyond, and where `c` is 0, -1, -2, ...

    Its series is summed, to 20 units in the last place of its greatest term; it converges slowly for `x` close to 1,
    and is cut after 20,000 terms. Differentiable by all arguments.

    Example:
        >>> print(f"{float(hyp2f1(1.0, 2.0, 3.0, 0.5)):.4f}")
        1.5452
    """
    return ops.hyp2f1(*real_operands("hyp2f1", a, b, c, x))

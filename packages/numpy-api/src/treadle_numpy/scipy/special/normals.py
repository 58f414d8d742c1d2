"""The error function and the normal distribution."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, composed, ops
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.scalars import literal, zero_like

__all__ = ["erf", "erfc", "erfinv", "ndtr", "ndtri"]


@composed
def erf(x: ArrayLike) -> Array:
    """The error function.

    Example:
        >>> print(erf(0.0))
        0.0
    """
    return ops.erf(inexact_operand("erf", x))


@composed
def erfc(x: ArrayLike) -> Array:
    """`1 - erf(x)`, without cancellation."""
    return ops.erfc(inexact_operand("erfc", x))


@composed
def erfinv(x: ArrayLike) -> Array:
    """The inverse of the error function."""
    return ops.erf_inv(inexact_operand("erfinv", x))


@composed
def ndtr(x: ArrayLike) -> Array:
    """The normal distribution function."""
    p = inexact_operand("ndtr", x)
    half, root = literal(0.5, p), literal(np.sqrt(0.5), p)
    w = ops.multiply(p, root)
    z = ops.abs(w)
    outer = ops.select(
        ops.compare(w, zero_like(w), direction="gt"),
        ops.subtract(literal(2, p), ops.erfc(z)),
        ops.erfc(z),
    )
    near = ops.add(literal(1, p), ops.erf(w))
    return ops.multiply(half, ops.select(ops.compare(z, root, direction="lt"), near, outer))


@composed
def ndtri(p: ArrayLike) -> Array:
    """The inverse of the normal distribution function."""
    x = inexact_operand("ndtri", p)
    return ops.multiply(
        literal(np.sqrt(2), x),
        ops.erf_inv(ops.subtract(ops.multiply(x, literal(2, x)), literal(1, x))),
    )

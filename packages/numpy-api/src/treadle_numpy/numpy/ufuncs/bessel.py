"""The modified Bessel function, which windows are made of."""

from __future__ import annotations

from treadle_ir import Array, ops
from treadle_ir.calling import composed
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand

__all__ = ["i0"]


@composed
def i0(x: ArrayLike) -> Array:
    """Return the modified Bessel function of the first kind and order 0.

    Exact to 4 units in the last place, plus 1 for each unit of `x`.

    Example:
        >>> print(i0(0.0))
        1.0
    """
    p = inexact_operand("i0", x)
    return ops.multiply(ops.exponential(ops.abs(p)), ops.bessel_i0e(p))

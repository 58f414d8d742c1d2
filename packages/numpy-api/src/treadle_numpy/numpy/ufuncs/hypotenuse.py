"""The hypotenuse: a power of its own, whose derivative is written where the formula has none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.scalars import number, zero_like

__all__ = ["hypot"]


@partial(custom_jvp, pure=True)
def _hypot(x: Operand, y: Operand) -> Array:
    x, y = ops.abs(x), ops.abs(y)
    top, low = ops.maximum(x, y), ops.minimum(x, y)
    at_zero = ops.compare(top, zero_like(top), direction="eq")
    ratio = ops.divide(low, ops.select(at_zero, number(1, top), top))
    root = ops.sqrt(ops.add(ops.square(ratio), number(1, top)))
    infinity = number(np.inf, top)
    infinite = ops.or_(
        ops.compare(x, infinity, direction="eq"), ops.compare(y, infinity, direction="eq")
    )
    return ops.select(infinite, infinity, ops.multiply(top, root))


@_hypot.defjvp
def _hypot_jvp(primals: Sequence[Operand], tangents: Sequence[Operand]) -> tuple[Operand, Operand]:
    # dz = (x dx + y dy) / z, smooth where x and y are of one size or one of them is 0; at the origin it is 0
    (x, y), (dx, dy) = primals, tangents
    z = _hypot(x, y)
    at_zero = ops.compare(z, zero_like(z), direction="eq")
    safe = ops.select(at_zero, number(1, z), z)
    by_x, by_y = ops.multiply(dx, ops.divide(x, safe)), ops.multiply(dy, ops.divide(y, safe))
    return z, ops.add(by_x, by_y)


@composed
def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Compute `sqrt(x1 ** 2 + x2 ** 2)`, without overflow. Its derivative at the origin is 0.

    It is infinite where an argument is, also where the other one is NaN.

    Example:
        >>> print(hypot(3.0, 4.0))
        5.0
    """
    x, y = promote_shapes("hypot", x1, x2, inexact=True)
    if is_complex(x.dtype):
        raise DTypeError(
            "hypot is not defined for complex numbers", fix="convert to real numbers, as with abs"
        )
    result: Array = _hypot(x, y)
    return result

"""Products of arrays that are scaled block by block."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME
from treadle_numpy.lax.contraction import DotDimensionNumbers, axes_of, dot_general
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype

__all__ = ["scaled_dot"]


@composed
def scaled_dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    *,
    lhs_scale: ArrayLike | None = None,
    rhs_scale: ArrayLike | None = None,
    dimension_numbers: DotDimensionNumbers | None = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """`dot_general` of operands times their scales, of which each is for a block of elements along contracted axes.

    It is computed in float32 (float64 if an operand is of that type) and has derivatives.

    Shapes:
        lhs_scale, rhs_scale: as the operand, but along contracted axes a divisor of its size: one number for each block

    Args:
        lhs: the left operand.
        rhs: the right operand.
        lhs_scale: the scales of `lhs`; none by default.
        rhs_scale: the scales of `rhs`; none by default.
        dimension_numbers: contracted and batch axes; by default the axes of a product of matrices, or of batches of
            them.
        preferred_element_type: the element type of the result; by default bfloat16.

    Raises:
        ShapeError: operands and scales do not go together.
        ArgumentError: there are no dimension numbers, and the operands are not matrices and no batches of them.

    Example:
        >>> import numpy as np
        >>> x = np.ones((2, 4), np.float32)
        >>> scale = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
        >>> print(scaled_dot(x, x.T, lhs_scale=scale))
        [[6 6]
         [14 14]]
    """
    name = "scaled_dot"
    wanted = as_dtype(name, preferred_element_type)
    x, y = coerce_array(name, 0, lhs), coerce_array(name, 1, rhs)
    if dimension_numbers is None:
        if x.ndim != y.ndim or x.ndim not in (2, 3):
            raise ArgumentError(
                f"{name}: without dimension_numbers it takes two matrices or two batches of them, "
                f"got shapes {x.shape} and {y.shape}"
            )
        batch = x.ndim - 2
        outer = tuple(range(batch))
        dimension_numbers = (((batch + 1,), (batch,)), (outer, outer))
    (left, right), _ = axes_of(name, dimension_numbers)
    wide = BY_NAME["f64" if np.float64 in (x.dtype, y.dtype) else "f32"]
    operands = []
    for position, (each, scale, axes) in enumerate(
        ((x, lhs_scale, left), (y, rhs_scale, right)), 2
    ):
        value = ops.convert(each, dtype=wide)
        if scale is not None:
            factors = ops.convert(coerce_array(name, position, scale), dtype=wide)
            value = ops.multiply(value, _repeated(factors, each, tuple(axes)))
        operands.append(value)
    product = dot_general(operands[0], operands[1], dimension_numbers)
    return ops.convert(product, dtype=BY_NAME["bf16"] if wanted is None else wanted)


def _repeated(scale: Array, x: Array, contracted: tuple[int, ...]) -> Array:
    """Repeat each scale as often as its block is long."""
    if scale.ndim != x.ndim:
        raise ShapeError(
            f"scaled_dot: operand and scale must have the same rank, got {x.shape} and {scale.shape}"
        )
    blocks: list[int] = []
    places: list[int] = []
    for axis, (size, count) in enumerate(zip(x.shape, scale.shape, strict=True)):
        along = axis in contracted
        if (not along and size != count) or (along and (size % count if count else size)):
            raise ShapeError(
                f"scaled_dot: axis {axis} of size {size} does not go with {count} scales"
                + (", which must divide a contracted axis" if along else "")
            )
        places.append(len(blocks))
        blocks += [count, size // count if count else 0] if along else [count]
    spread = ops.broadcast_in_dim(scale, shape=tuple(blocks), dimensions=tuple(places))
    return ops.reshape(spread, shape=x.shape)

"""The greater and the lesser of two."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.primitives import elementwise as primitives
from treadle_numpy.numpy.ufuncs.logic import greater, less
from treadle_numpy.numpy.ufuncs.making import binary
from treadle_numpy.numpy.ufuncs.universal import universal
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type

__all__ = ["clip", "fmax", "fmin", "maximum", "minimum"]


maximum = universal(
    binary(
        "maximum",
        primitives.Maximum(),
        "The greater of two; NaN if either is.",
        "print(maximum(1, 2))\n        2",
    )
)
minimum = universal(
    binary(
        "minimum",
        primitives.Minimum(),
        "The lesser of two; NaN if either is.",
        "print(minimum(1, 2))\n        1",
    )
)


@composed
def fmax(x1: ArrayLike, x2: ArrayLike) -> Array:
    """Return the greater of two; the other one where one is NaN.

    Example:
        >>> import numpy as np
        >>> print(fmax(1.0, np.nan))
        1.0
    """
    x, y = promote_shapes("fmax", x1, x2)
    keep = ops.or_(greater(x, y), ops.compare(y, y, direction="ne"))
    return ops.select(keep, x, y)


@composed
def fmin(x1: ArrayLike, x2: ArrayLike) -> Array:
    """Return the lesser of two; the other one where one is NaN.

    Example:
        >>> import numpy as np
        >>> print(fmin(1.0, np.nan))
        1.0
    """
    x, y = promote_shapes("fmin", x1, x2)
    keep = ops.or_(less(x, y), ops.compare(y, y, direction="ne"))
    return ops.select(keep, x, y)


@composed
def clip(arr: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """Limit numbers to the range between two bounds.

    Args:
        arr: an array of real numbers.
        min: the lower bound, which broadcasts; None for none.
        max: the upper bound, which broadcasts; None for none.

    Raises:
        ArgumentError: one of them is complex.
        ShapeError: they have no common shape.

    Example:
        >>> import numpy as np
        >>> print(clip(np.array([1, 5], np.int32), 2, 3))
        [2 3]
    """
    result = coerce("clip", 0, arr)
    for position, each in enumerate((result, min, max)):
        if each is not None and is_complex(operand_type(coerce("clip", position, each)).dtype):
            raise ArgumentError(
                "Clip received a complex value either through the input or the min/max keywords",
                fix="complex numbers have no order: clip real and imaginary parts",
            )
    if min is not None:
        result = maximum(min, result)
    if max is not None:
        result = minimum(max, result)
    return array_of(result)

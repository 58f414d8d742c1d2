"""Positions in flat arrays, and along axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, names, ops, sequence, x64_enabled
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import add, floor_divide, multiply, remainder
from treadle_numpy.numpy.ufuncs.extremes import clip
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, host_elements
from treadle_numpy.operands.scalars import number
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["ravel_multi_index", "unravel_index"]


def unravel_index(indices: ArrayLike, shape: Shape) -> tuple[Array, ...]:
    """Positions in a flat array as positions along the axes of a shape.

    Differs from NumPy: positions out of range are taken for the first or the last, after counting negative ones from
    the end.

    Raises:
        ShapeError: a size is negative.

    Example:
        >>> import numpy as np
        >>> print(*unravel_index(np.array([1, 5], np.int32), (2, 3)))
        [0 1] [1 2]
    """
    sizes = as_shape("unravel_index", shape)
    total = math.prod(sizes)
    left = coerce_array("unravel_index", 0, indices)
    if total > np.iinfo(np.int64 if x64_enabled() else np.int32).max:
        raise ShapeError(
            f"unravel_index: the shape {sizes} has more positions than integers can count"
        )
    left = where(
        ops.compare(left, number(0, left), direction="lt"),
        ops.add(left, number(total, left)),
        left,
    )
    left = clip(left, 0, total - 1)
    parts: list[Array] = []
    for n in reversed(sizes):
        parts.insert(0, remainder(left, n))
        left = floor_divide(left, n)
    return tuple(parts)


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: Sequence[int],
    mode: str = "raise",
    order: str = "C",
    *,
    dtype: object = None,
) -> Array:
    """Positions along axes as positions in the flat array; `mode` clip or wrap while tracing.

    Raises:
        ConcretizationError: `mode` is `raise` while tracing.
        ArgumentError: there are not as many positions as axes, one is out of range, or there is no such mode.

    Example:
        >>> import numpy as np
        >>> print(ravel_multi_index((np.array([0, 1]), np.array([1, 2])), (2, 3)))
        [1 5]
    """
    names("ravel_multi_index", mode=mode, order=order)
    sizes = as_shape("ravel_multi_index", dims)
    multi_index = sequence("ravel_multi_index", "multi_index", multi_index)
    if len(sizes) != len(multi_index):
        raise ArgumentError(f"len(multi_index)={len(multi_index)} != len(dims)={len(sizes)}")
    parts = [coerce_array("ravel_multi_index", i, x) for i, x in enumerate(multi_index)]
    for i, (part, n) in enumerate(zip(parts, sizes, strict=True)):
        if mode == "raise":
            elements = host_elements(part)
            if elements is None:
                concrete_mask("ravel_multi_index (with mode='raise')", part)
            if elements is not None and ((elements < 0) | (elements >= n)).any():
                raise ArgumentError("invalid entry in coordinates array")
        elif mode == "clip":
            parts[i] = clip(part, 0, n - 1)
        elif mode == "wrap":
            parts[i] = remainder(part, n)
        else:
            raise ArgumentError(f"invalid mode={mode!r}. Expected 'raise', 'wrap', or 'clip'")
    result: ArrayLike = 0
    pairs = list(zip(parts, sizes, strict=True))
    for part, n in pairs if order == "C" else reversed(pairs):
        result = add(multiply(result, n), part)
    return coerce_array("ravel_multi_index", 0, result)

"""Positions in flat arrays, and along axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from treadle_ir import ArgumentError, Array, DType, DTypeError, ShapeError, ops
from treadle_ir.core import default_dtype, x64_enabled
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import names, sequence
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.numpy.dtypes.limits import iinfo
from treadle_numpy.numpy.dtypes.questions import result_type
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import add, floor_divide, multiply, remainder
from treadle_numpy.numpy.ufuncs.extremes import clip
from treadle_numpy.operands.broadcast import check_settings
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, host_elements
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import number
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["ravel_multi_index", "unravel_index"]


def unravel_index(indices: ArrayLike, shape: Shape) -> tuple[Array, ...]:
    """Positions in a flat array as positions along the axes of a shape.

    Differs from NumPy: positions out of range are taken for the first or the last, after counting negative ones from
    the end.

    The results have the type of the positions, if it holds them, else the default integer type.

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
    own = left.dtype
    if not _holds(own, total):
        left = converted(left, default_dtype(int))
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
    if left.dtype != own and _holds(own, max(sizes) - 1):
        parts = [converted(part, own) for part in parts]
    return tuple(parts)


def _holds(dtype: DType, number: int) -> bool:
    """Return whether an element type, if it is one of integers, has a number that is not negative."""
    return not is_integer(dtype) or number <= int(iinfo(dtype).max)


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: Sequence[int],
    mode: str = "raise",
    order: str = "C",
    *,
    dtype: DTypeLike | None = None,
) -> Array:
    """Positions along axes as positions in the flat array; `mode` clip or wrap while tracing.

    `dtype` is the element type of the result, by default the positions' type.

    Raises:
        ConcretizationError: `mode` is `raise` while tracing.
        DTypeError: the positions, or `dtype`, are not integers, or the type does not hold all positions.
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
    if parts:
        check_settings("ravel_multi_index", *parts, ranks=True)
    total = math.prod(sizes)
    given = as_dtype("ravel_multi_index", dtype)
    wanted = given or (result_type(*parts) if parts else default_dtype(int))
    if not is_integer(wanted):
        raise DTypeError(
            f"ravel_multi_index: positions must be integers, got {wanted}",
            fix="convert with .astype(int)",
        )
    if total - 1 > int(iinfo(wanted).max):
        raise DTypeError(
            f"ravel_multi_index: {wanted} does not hold all positions of the shape {sizes}",
            fix="pass a wider `dtype`",
        )
    # the sizes must be numbers of the type, too
    working = wanted if _holds(wanted, total) else default_dtype(int)
    parts = [converted(part, working) for part in parts]
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
    result: ArrayLike = working.type(0)
    pairs = list(zip(parts, sizes, strict=True))
    for part, n in pairs if order == "C" else reversed(pairs):
        result = add(multiply(result, n), part)
    position = coerce_array("ravel_multi_index", 0, result)
    return position if position.dtype == wanted else converted(position, wanted)

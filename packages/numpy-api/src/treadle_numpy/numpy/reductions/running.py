"""Running sums and products."""

from __future__ import annotations

from typing import Protocol

from treadle_ir import ArgumentError, Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_bool, is_inexact
from treadle_ir.errors import flags
from treadle_numpy.numpy.reductions.sums import sum_dtype
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import Axis, as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import truth
from treadle_numpy.operands.shapes import kept_shape

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum"]


class _Instruction(Protocol):
    def __call__(self, x: Operand, /, *, axis: int, reverse: bool = False) -> Array: ...


def _running(
    name: str,
    instruction: _Instruction,
    of_booleans: _Instruction,
    a: ArrayLike,
    axis: Axis,
    dtype: DTypeLike | None,
) -> Array:
    operand = coerce_array(name, 0, a)
    type = operand_type(operand)
    wanted = as_dtype(name, dtype) or (default_dtype(int) if is_bool(type.dtype) else type.dtype)
    boolean = is_bool(wanted)  # whether any, or all, have been true so far
    if boolean:
        operand = ops.convert(truth(name, 0, operand), dtype=default_dtype(int))
        instruction = of_booleans
    else:
        operand = array_of(converted(operand, wanted))
    if axis is None:
        operand = ops.reshape(operand, shape=(type.size,))
    along = 0 if axis is None else as_axis(name, axis, type.ndim)
    result = instruction(operand, axis=along)
    return ops.convert(result, dtype=wanted) if boolean else result


@composed
def cumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
) -> Array:
    """Compute the cumulative sum along an axis.

    Args:
        a: an array.
        axis: the axis; None means the flat array.
        dtype: the dtype in which to compute, and of the result.
        out: must be None: arrays are immutable.

    Returns:
        An array with the shape of `a`; a vector if `axis` is None.

    Example:
        >>> import numpy as np
        >>> print(cumsum(np.array([1, 2, 3], np.int32)))
        [1 3 6]
    """
    named_only("cumsum", out=out)
    return _running("cumsum", ops.cumulative_add, ops.cumulative_maximum, a, axis, dtype)


@composed
def cumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
) -> Array:
    """Return the running product along an axis; of the flat array by default.

    Example:
        >>> import numpy as np
        >>> print(cumprod(np.array([1, 2, 3])))
        [1 2 6]
    """
    named_only("cumprod", out=out)
    return _running("cumprod", ops.cumulative_multiply, ops.cumulative_minimum, a, axis, dtype)


def _cumulative(
    name: str,
    x: ArrayLike,
    axis: int | None,
    dtype: DTypeLike | None,
    include_initial: bool,
    start: int,
) -> Array:
    operand = coerce_array(name, 0, x)
    if operand.ndim == 0:
        raise ArgumentError(f"{name}: the input must have at least one dimension")
    if axis is None:
        if operand.ndim > 1:
            raise ArgumentError(f"{name}: with more than one dimension, `axis` must be given")
        axis = 0
    if dtype is None and start == 0 and not is_inexact(operand.dtype):
        dtype = sum_dtype(operand.dtype)
    result = (cumsum if start == 0 else cumprod)(operand, axis, dtype)
    if include_initial:
        along = as_axis(name, axis, operand.ndim)
        shape = kept_shape(operand.shape, (along,))
        first = ops.broadcast_in_dim(result.dtype.type(start), shape=shape, dimensions=())
        result = ops.concatenate([first, result], dimension=along)
    return result


@composed
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the running sum along an axis, with a leading 0 if `include_initial`.

    Example:
        >>> import numpy as np
        >>> print(cumulative_sum(np.array([1, 2, 3])))
        [1 3 6]
    """
    flags("cumulative_sum", include_initial=include_initial)
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial, 0)


@composed
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the running product along an axis, with a leading 1 if `include_initial`.

    Example:
        >>> import numpy as np
        >>> print(cumulative_prod(np.array([1, 2, 3])))
        [1 2 6]
    """
    flags("cumulative_prod", include_initial=include_initial)
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial, 1)

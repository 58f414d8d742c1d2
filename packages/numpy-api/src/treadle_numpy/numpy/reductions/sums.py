"""Sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from treadle_ir import Array, DType, Primitive
from treadle_ir.calling import composed
from treadle_ir.core import canonical_dtype, default_dtype, inexact_dtype, x64_enabled
from treadle_ir.core.dtypes import BY_NAME, MINIFLOATS, is_bool, is_inexact, is_integer, is_unsigned
from treadle_ir.errors import flags
from treadle_ir.primitives import elementwise, reduce as primitives
from treadle_numpy.numpy.reductions.logical import truth_reduction
from treadle_numpy.numpy.reductions.making import ORDERED, PLAIN, kept, planned, selected
from treadle_numpy.numpy.ufuncs.logic import logical_and, logical_or
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import bind
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import truth

__all__ = ["count_nonzero", "prod", "sum"]


def sum_dtype(dtype: DType) -> DType:
    """Return the element type that a sum is computed in: narrow integers are widened to 32 (or 64) bits."""
    if is_bool(dtype):
        return default_dtype(int)
    if is_integer(dtype):
        wide = canonical_dtype(BY_NAME["u64" if is_unsigned(dtype) else "i64"])
        return wide if wide.itemsize > dtype.itemsize else dtype
    return dtype


_NARROW: Final = frozenset([BY_NAME[name] for name in ("bf16", "f16", *MINIFLOATS)])


def mean_dtypes(dtype: DType) -> tuple[DType, DType]:
    """Return the element types that a mean is computed in and returned in: 16-bit floats are computed in 32 bits."""
    result = inexact_dtype(dtype)
    return (BY_NAME["f32"] if result in _NARROW else result), result


_Accumulation: TypeAlias = Callable[
    [ArrayLike, Axis, DTypeLike | None, bool, ArrayLike | None, ArrayLike | None, bool], Array
]


def _accumulation(
    name: str,
    reduction: Callable[[tuple[int, ...]], Primitive],
    identity: int,
    combine: Callable[[], Primitive],
) -> _Accumulation:
    def reduce(
        a: ArrayLike,
        axis: Axis,
        dtype: DTypeLike | None,
        keepdims: bool,
        initial: ArrayLike | None,
        where: ArrayLike | None,
        promote_integers: bool,
    ) -> Array:
        operand = coerce(name, 0, a)
        type = operand_type(operand)
        wide = type.dtype
        if dtype is not None:
            wide = as_dtype(name, dtype)
            if is_bool(wide):  # sums of truth are whether any is true, products whether all are
                if initial is not None:
                    operand = (logical_and if identity else logical_or)(operand, initial)
                return truth_reduction(name, operand, axis, keepdims, where, bool(identity))
        elif (promote_integers and not is_inexact(wide)) or is_bool(wide):
            wide = sum_dtype(wide)
        operand = converted(operand, wide)  # not weak
        if where is not None:
            operand = selected(name, operand, where, operand.dtype.type(identity))
            type = operand_type(operand)
        axes = sorted_axes(name, axis, type.ndim)
        result = bind(reduction(axes), operand)
        if initial is not None:
            start = converted(coerce(name, 3, initial), result.dtype)
            result = bind(combine(), result, start)
        return kept(result, type, axes, keepdims)

    return reduce


_sum = _accumulation("sum", primitives.ReduceAdd, 0, elementwise.Add)
_prod = _accumulation("prod", primitives.ReduceMultiply, 1, elementwise.Multiply)
_plain_sum: Final = planned("sum", primitives.ReduceAdd, PLAIN)
_plain_count: Final = planned(
    "sum", primitives.ReduceAdd, ORDERED
)  # while integers are not widened


def sum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """Sum elements along axes.

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        dtype: the dtype in which to compute, and of the result; for None the dtype of `a`, and wider for integers.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.
        initial: an element to add.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.
        promote_integers: whether booleans and narrow integers are widened to the default integer type, if `dtype` is
            None.

    Returns:
        An array of that dtype, without the reduced axes, or with size 1 along them.

    Example:
        >>> import numpy as np
        >>> print(sum(np.ones((2, 3), np.float32), axis=0))
        [2. 2. 2.]
    """
    if dtype is out is None and initial is None and where is None:
        found = _plain_sum(a, axis, keepdims)
        if found is None and not x64_enabled():
            found = _plain_count(a, axis, keepdims)
        if found is not None:
            return found
    named_only("sum", out=out)
    return _sum(a, axis, dtype, keepdims, initial, where, promote_integers)


def prod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """Multiply elements along axes.

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        dtype: the dtype in which to compute, and of the result; for None the dtype of `a`, and wider for integers.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.
        initial: an element to multiply by.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.
        promote_integers: whether booleans and narrow integers are widened to the default integer type, if `dtype` is
            None.

    Returns:
        An array of that dtype, without the reduced axes, or with size 1 along them.

    Example:
        >>> import numpy as np
        >>> print(prod(np.array([2.0, 3.0], np.float32)))
        6.0
    """
    flags("prod", promote_integers=promote_integers)
    named_only("prod", out=out)
    return _prod(a, axis, dtype, keepdims, initial, where, promote_integers)


@composed
def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the number of elements that are not zero.

    Example:
        >>> import numpy as np
        >>> print(count_nonzero(np.array([0, 1, 2])))
        2
    """
    return sum(truth("count_nonzero", 0, a), axis, default_dtype(int), keepdims=keepdims)

"""Products with matrices of groups: consecutive rows that each group has, and a matrix for each group.

An operand is repeated for each group with zeros where other groups have their rows, and one dot_general does the rest:
its memory is the operand's times the number of groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ShapeError, ops
from treadle_ir.core.dtypes import bit_width, is_integer, user_name
from treadle_ir.errors import integers, refused, sequence
from treadle_numpy.lax.contraction import DotDimensionNumbers, contracted
from treadle_numpy.lax.precision import PrecisionLike
from treadle_numpy.lax.shapes import moved
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import zero_like

__all__ = ["RaggedDotDimensionNumbers", "ragged_dot", "ragged_dot_general"]


class RaggedDotDimensionNumbers(NamedTuple):
    """Which axes are contracted and batched, which axis of lhs is ragged, and which one of rhs counts the groups.

    Example:
        >>> RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,)).lhs_ragged_dimensions
        (0,)
    """

    dot_dimension_numbers: DotDimensionNumbers
    lhs_ragged_dimensions: Sequence[int]
    rhs_group_dimensions: Sequence[int]


def ragged_dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    group_sizes: ArrayLike,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    group_offset: None = None,
    out_sharding: None = None,
) -> Array:
    """Return the rows of lhs times the matrix of their group: [m, k] times [g, k, n] is [m, n].

    The first `group_sizes[0]` rows belong to group 0, the next to group 1, and so on; rows after the last group give
    zeros.

    Raises:
        ShapeError: the shapes do not fit.
        DTypeError: lhs and rhs have different element types, or the sizes are not integers.
        UnsupportedError: `group_offset` or `out_sharding` is given.

    Example:
        >>> rows, matrices = np.ones((3, 1), np.float32), np.array([[[2.0]], [[5.0]]], np.float32)
        >>> print(ragged_dot(rows, matrices, np.array([1, 2])).ravel())
        [2. 5. 5.]
    """
    numbers = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
    x, y = coerce_array("ragged_dot", 0, lhs), coerce_array("ragged_dot", 1, rhs)
    if x.ndim != 2 or y.ndim != 3:
        raise ShapeError(
            f"ragged_dot: operands have shapes {x.shape} and {y.shape}, but are (m, k) and (g, k, n)",
            fix="use ragged_dot_general for other axes",
        )
    return ragged_dot_general(
        lhs,
        rhs,
        group_sizes,
        numbers,
        precision,
        preferred_element_type,
        group_offset,
        out_sharding,
    )


def ragged_dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    group_sizes: ArrayLike,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    group_offset: None = None,
    out_sharding: None = None,
) -> Array:
    """Products summed over contracted axes, where one axis of lhs, the ragged one, falls into consecutive groups.

    If it is free, rhs has an axis that counts the groups, and every row is multiplied with its group's part. If it is
    contracted, the result has the groups in front, with the sum over each. If it is batched, rows after the last group
    give zeros. `group_sizes` is [g], or has the sizes for each index of the axes that come before the ragged one: the
    batched axes, and the other axes of its kind.

    Raises:
        ShapeError: the shapes do not fit.
        DTypeError: lhs and rhs have different element types, or the sizes are not integers.
        ArgumentError: the numbers name no axes, or not one ragged axis and one of groups where it is free.
        UnsupportedError: `group_offset` or `out_sharding` is given.

    Example:
        >>> x, y = np.arange(3.0, dtype=np.float32), np.ones(3, np.float32)
        >>> numbers = RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
        >>> print(ragged_dot_general(x, y, np.array([1, 2]), numbers))
        [0. 3.]
    """
    name = "ragged_dot_general"
    named_only(name, group_offset=group_offset, out_sharding=out_sharding)
    if not isinstance(ragged_dot_dimension_numbers, RaggedDotDimensionNumbers):
        raise refused(
            name,
            "ragged_dot_dimension_numbers",
            "RaggedDotDimensionNumbers",
            ragged_dot_dimension_numbers,
        )
    x, y = [array_of(each) for each in strict(name, lhs, rhs)]
    sizes = coerce_array(name, 2, group_sizes)
    if not is_integer(sizes.dtype):
        raise DTypeError(f"{name}: group sizes must be integers, got {user_name(sizes.dtype)}")
    dot, ragged, groups = ragged_dot_dimension_numbers
    (left, right), (batch_left, batch_right) = _pairs(name, dot)
    axis = _one_axis(name, "lhs_ragged_dimensions", ragged, x)
    kind = batch_left if axis in batch_left else left if axis in left else None
    if kind is not None and tuple(groups):
        raise ArgumentError(f"{name}: rhs has an axis of groups only where the ragged axis is free")
    free = [i for i in range(x.ndim) if i not in (*left, *batch_left)]
    own = free if kind is None else [*kind]
    outer = own[: own.index(axis)]
    lead = outer if kind is batch_left else [*batch_left, *outer]
    masked = _of_groups(name, x, sizes, lead, axis)
    count = sizes.shape[-1]
    shifted = [tuple([i + 1 for i in each]) for each in (left, batch_left)]
    wanted = as_dtype(name, preferred_element_type)
    wider = wanted if wanted is None or bit_width(wanted) >= bit_width(x.dtype) else None
    if kind is None:
        group = _one_axis(name, "rhs_group_dimensions", groups, y)
        if y.shape[group] != count:
            raise ShapeError(
                f"{name}: rhs has {y.shape[group]} groups, but there are {count} group sizes"
            )
        summed = (0, *shifted[0]), (group, *right)
        result = contracted(masked, y, summed, (shifted[1], batch_right), precision, wider)
    elif kind is batch_left:
        # each row is in one group at most
        rows = ops.reduce_add(masked, axes=(0,))
        result = contracted(rows, y, (left, right), (batch_left, batch_right), precision, wider)
    else:
        result = contracted(
            masked, y, (shifted[0], right), (shifted[1], batch_right), precision, wider
        )
        result = moved(result, len(batch_left), 0)
    return result if wanted is None else converted(result, wanted)


def _pairs(
    name: str, dot: object
) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the contracted and the batched axes, of both operands."""
    axes = [
        [
            integers(name, "each of dot_dimension_numbers", each)
            for each in sequence(name, "pairs of axes", pair)
        ]
        for pair in sequence(name, "dot_dimension_numbers", dot)
    ]
    if [len(pair) for pair in axes] != [2, 2]:
        wanted = "((contracted of lhs, of rhs), (batching of lhs, of rhs))"
        raise refused(name, "dot_dimension_numbers", wanted, dot)
    return (axes[0][0], axes[0][1]), (axes[1][0], axes[1][1])


def _one_axis(name: str, what: str, axes: object, x: Array) -> int:
    named = integers(name, what, axes)
    if len(named) != 1 or not 0 <= named[0] < x.ndim:
        raise ArgumentError(f"{name}: {what} must be one axis of {x.shape}, got {named}")
    return named[0]


def _of_groups(name: str, x: Array, sizes: Array, lead: list[int], axis: int) -> Array:
    """Return the operand once for each group, in front, with zeros in the rows of others."""
    shape = tuple([x.shape[i] for i in lead])
    if sizes.ndim == 1:
        lead, shape = [], ()
    if sizes.shape[:-1] != shape or not sizes.ndim:
        raise ShapeError(
            f"{name}: group sizes have shape {sizes.shape}, but must be a vector or have {shape} before it"
        )
    sizes = ops.convert(sizes, dtype=np.dtype(np.int32))
    last = sizes.ndim - 1
    count, rows = sizes.shape[-1], x.shape[axis]
    ends = ops.cumulative_add(sizes, axis=last)
    wide = (*sizes.shape, rows)
    spread = [
        ops.broadcast_in_dim(each, shape=wide, dimensions=tuple(range(last + 1)))
        for each in (ops.subtract(ends, sizes), ends)
    ]
    row = ops.iota(shape=wide, dtype=np.dtype(np.int32), dimension=last + 1)
    inside = ops.and_(
        ops.compare(row, spread[0], direction="ge"), ops.compare(row, spread[1], direction="lt")
    )
    places = [*[i + 1 for i in lead], 0, axis + 1]  # of the axes of `inside` in the result
    order = sorted(range(len(places)), key=places.__getitem__)
    inside = ops.transpose(inside, permutation=tuple(order))
    whole = (count, *x.shape)
    mask = ops.broadcast_in_dim(inside, shape=whole, dimensions=tuple(sorted(places)))
    repeated = ops.broadcast_in_dim(x, shape=whole, dimensions=tuple(range(1, x.ndim + 1)))
    return ops.select(mask, repeated, zero_like(x))

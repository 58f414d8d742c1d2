"""Arrays joined: concatenate, stack and their relatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from treadle_ir import ArgumentError, Array, DType, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.primitives.shape import Concatenate
from treadle_ir.tracing import current_trace
from treadle_numpy.lax.joining import (
    Arrays,
    in_common_dtype,
    operands_of,
    stacked,
    whole_of,
)
from treadle_numpy.lax.shapes import moved
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of, bind
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import check_settings
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.plans import Plans, remember
from treadle_numpy.operands.promote import converted

__all__ = [
    "append",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "stack",
    "vstack",
]

_CONCATENATIONS: Final[Plans] = {}


@composed
def concatenate(arrays: Arrays, axis: int | None = 0, dtype: DTypeLike | None = None) -> Array:
    """Join arrays along an existing axis.

    Args:
        arrays: a sequence of arrays with equal sizes along the other axes, or an array, which is joined along its
            first axis.
        axis: the axis; None flattens the arrays.
        dtype: the dtype of the result; the promoted dtype if None.

    Raises:
        ShapeError: the arrays have no axes, or differ along another axis.

    Example:
        >>> import numpy as np
        >>> print(concatenate([np.arange(2), np.arange(3)]))
        [0 1 0 1 2]
    """
    key = None
    if arrays.__class__ in (list, tuple) and axis.__class__ is int and dtype is None:
        try:
            key = (axis, *[x.type for x in arrays])
        except AttributeError:
            pass
        else:
            primitive = _CONCATENATIONS.get(key)
            if primitive is not None:
                found: Array = current_trace().process(primitive, arrays)[0]  # type: ignore[assignment]
                return found
    whole = whole_of("concatenate", arrays)
    if whole is not None:
        return _parts_joined(whole, axis, as_dtype("concatenate", dtype))
    operands = operands_of("concatenate", arrays)
    if axis is None:
        operands = [ravel(x) for x in operands]
        axis = 0
    if operands[0].shape == ():
        raise _without_axes()
    place = as_axis("concatenate", axis, len(operands[0].shape))
    first = operands[0].shape
    for i, x in enumerate(operands):
        own = x.shape
        if len(own) != len(first) or any(
            n != m for j, (n, m) in enumerate(zip(own, first, strict=True)) if j != place
        ):
            raise ShapeError(
                f"concatenate: operand {i} has shape {own} and operand 0 has {first}, which may differ in axis "
                f"{place} only",
                fix="reshape or pad them, or concatenate along another axis",
            )
    given = operands
    operands = in_common_dtype(operands, as_dtype("concatenate", dtype))
    if len(operands) == 1:
        return array_of(operands[0])
    primitive = Concatenate(place)
    if key is not None and all(x is y for x, y in zip(given, operands, strict=True)):
        remember(_CONCATENATIONS, key, primitive)
    return bind(primitive, *operands)


def _parts_joined(x: Array, axis: int | None, dtype: DType | None) -> Array:
    """Return the parts of an array along its first axis, one after the other: a reshape, for however many."""
    if axis is None:
        x, axis = ops.reshape(x, shape=(x.shape[0], x.size // x.shape[0])), 0
    if x.ndim == 1:
        raise _without_axes()
    count, *own = x.shape
    place = as_axis("concatenate", axis, len(own))
    own[place] *= count
    joined = ops.reshape(moved(x, 0, place), shape=tuple(own))
    return joined if dtype is None else array_of(converted(joined, dtype))


def _without_axes() -> ShapeError:
    return ShapeError(
        "Zero-dimensional arrays cannot be concatenated.",
        fix="use stack for numbers; arrays go in one list: `concatenate([a, b])`",
    )


def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> Array:
    """Apply `concatenate` under the array API's name.

    Example:
        >>> import numpy as np
        >>> print(concat([np.array([1, 2, 3]), np.array([4])]))
        [1 2 3 4]
    """
    return concatenate(arrays, axis)


@composed
def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Array:
    """`values` after `arr` along an axis; both flattened by default.

    Example:
        >>> import numpy as np
        >>> print(append(np.array([1, 2, 3]), np.array([4, 5])))
        [1 2 3 4 5]
    """
    check_settings("append", arr, values)
    return concatenate([arr, values], axis)


@composed
def stack(arrays: Arrays, axis: int = 0, out: None = None, dtype: DTypeLike | None = None) -> Array:
    """Join arrays of one shape along a new axis.

    Args:
        arrays: a sequence of arrays, or an array, which is stacked along its first axis.
        axis: the place of the new axis in the result.
        out: must be None: arrays are immutable.
        dtype: the dtype of the result; the promoted dtype if None.

    Raises:
        ShapeError: the arrays have different shapes.

    Example:
        >>> import numpy as np
        >>> print(stack([np.arange(2), np.arange(2)], axis=1))
        [[0 0]
         [1 1]]
    """
    named_only("stack", out=out)
    return stacked(arrays, axis, as_dtype("stack", dtype))


@composed
def vstack(tup: Arrays, dtype: DTypeLike | None = None) -> Array:
    """Join arrays vertically: along the first axis, vectors as rows.

    Args:
        tup: a sequence of arrays.
        dtype: the dtype of the result; the promoted dtype if None.

    Example:
        >>> import numpy as np
        >>> print(vstack([np.array([1, 2, 3]), np.array([1, 2, 3])]))
        [[1 2 3]
         [1 2 3]]
    """
    return concatenate(_in_shape("vstack", tup, _at_least_two_axes), 0, dtype)


@composed
def hstack(tup: Arrays, dtype: DTypeLike | None = None) -> Array:
    """Join arrays horizontally: along the second axis, vectors along their only axis.

    Args:
        tup: a sequence of arrays.
        dtype: the dtype of the result; the promoted dtype if None.

    Example:
        >>> import numpy as np
        >>> print(hstack([np.array([1, 2, 3]), np.array([1, 2, 3])]))
        [1 2 3 1 2 3]
    """
    parts = _in_shape("hstack", tup, lambda own: own or (1,))
    rank = parts.ndim - 1 if isinstance(parts, Array) else parts[0].ndim
    return concatenate(parts, 0 if rank == 1 else 1, dtype)


@composed
def dstack(tup: Arrays, dtype: DTypeLike | None = None) -> Array:
    """Join arrays in depth: along the third axis.

    Example:
        >>> import numpy as np
        >>> print(dstack([np.array([1, 2, 3]), np.array([1, 2, 3])]).shape)
        (1, 3, 2)
    """
    return concatenate(_in_shape("dstack", tup, _at_least_three_axes), 2, dtype)


@composed
def column_stack(tup: Arrays) -> Array:
    """Vectors as the columns of a matrix.

    Example:
        >>> import numpy as np
        >>> print(column_stack([np.array([1, 2, 3]), np.array([1, 2, 3])]))
        [[1 1]
         [2 2]
         [3 3]]
    """
    return concatenate(_in_shape("column_stack", tup, _as_columns), 1)


Sizes: TypeAlias = tuple[int, ...]


def _in_shape(
    function: str, arrays: Arrays, sizes_of: Callable[[Sizes], Sizes]
) -> Array | list[Array]:
    """Arrays in the shapes that are made of theirs; of an array its parts along the first axis, still as one array."""
    whole = whole_of(function, arrays)
    if whole is not None:
        return _reshaped(whole, (whole.shape[0], *sizes_of(whole.shape[1:])))
    parts = [array_of(x) for x in operands_of(function, arrays)]
    return [_reshaped(x, sizes_of(x.shape)) for x in parts]


def _reshaped(x: Array, sizes: Sizes) -> Array:
    return x if sizes == x.shape else ops.reshape(x, shape=sizes)


def _at_least_two_axes(own: Sizes) -> Sizes:
    return own if len(own) > 1 else (1, *(own or (1,)))


def _at_least_three_axes(own: Sizes) -> Sizes:
    return own if len(own) > 2 else (*_at_least_two_axes(own), 1)


def _as_columns(own: Sizes) -> Sizes:
    return own if len(own) > 1 else (*(own or (1,)), 1)


_MOST_AXES: Final = 64  # as NumPy has it
Blocks: TypeAlias = "ArrayLike | list[Blocks]"  # an array, or lists of lists of them


def block(arrays: Blocks) -> Array:
    """Assemble an array from nested lists of blocks: innermost lists along the last axis.

    Raises:
        ArgumentError: a list is empty, or lists are not nested alike.
        ShapeError: blocks do not fit each other.

    Example:
        >>> import numpy as np
        >>> print(block([[np.ones((1, 1)), np.zeros((1, 2))]]))
        [[1. 0. 0.]]
    """
    if isinstance(arrays, list):
        row = [x for x in arrays if isinstance(x, Array)]
        if row and len(row) == len(arrays) and row[0].ndim and len({x.ndim for x in row}) == 1:
            return concatenate(row, -1)
    rank = max([coerce_array("block", 0, leaf).ndim for leaf in _leaves(arrays)])
    depth, level = 0, arrays
    while isinstance(level, list):
        depth += 1
        level = level[0]
    rank = max(depth, rank)

    def build(x: Blocks, level: int) -> Array:
        if isinstance(x, list) != (level < depth):
            raise ArgumentError(
                f"block: the first block stands in {depth} lists, another one in {'more' if level == depth else level}",
                fix="write as many brackets around each block: [[a, b], [c]]",
            )
        if isinstance(x, list):
            return concatenate([build(each, level + 1) for each in x], level - depth)
        operand = coerce_array("block", 0, x)
        if operand.ndim == rank:
            return operand
        return ops.reshape(operand, shape=(1,) * (rank - operand.ndim) + operand.shape)

    return build(arrays, 0)


def _leaves(arrays: Blocks, depth: int = 0) -> list[ArrayLike]:
    """Return the arrays in nested lists.

    Raises:
        ArgumentError: a list is empty, or nested deeper than arrays have axes.
    """
    if not isinstance(arrays, list):
        return [arrays]
    if not arrays or depth == _MOST_AXES:
        raise ArgumentError(
            f"block: lists must not be empty, nor nested more than {_MOST_AXES} deep",
            fix="a list that contains itself makes no array",
        )
    return [leaf for each in arrays for leaf in _leaves(each, depth + 1)]

"""Arrays joined: concatenate, stack and their relatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from treadle_ir import ArgumentError, Array, ShapeError, composed, current_trace, ops
from treadle_ir.primitives.shape import Concatenate
from treadle_numpy.lax.joining import Arrays, in_common_dtype, operands_of, stacked
from treadle_numpy.numpy.manipulation.axes import transpose
from treadle_numpy.numpy.manipulation.shapes import atleast_1d, atleast_2d, atleast_3d, ravel
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.bind import bind
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.plans import Plans, remember

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
    """Arrays one after the other along an axis; flattened if `axis` is None.

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
    operands = operands_of("concatenate", arrays)
    if axis is None:
        operands = [ravel(x) for x in operands]
        axis = 0
    if operands[0].shape == ():
        raise ShapeError(
            "Zero-dimensional arrays cannot be concatenated.",
            fix="use stack for numbers; arrays go in one list: `concatenate([a, b])`",
        )
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


def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> Array:
    """`concatenate` under the array API's name.

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
    return concatenate([arr, values], axis)


@composed
def stack(arrays: Arrays, axis: int = 0, out: None = None, dtype: DTypeLike | None = None) -> Array:
    """Arrays of one shape along a new axis.

    Raises:
        ShapeError: the arrays have different shapes.

    Example:
        >>> import numpy as np
        >>> print(stack([np.arange(2), np.arange(2)], axis=1))
        [[0 0]
         [1 1]]
    """
    return stacked(operands_of("stack", arrays), axis, as_dtype("stack", dtype))


@composed
def vstack(tup: Arrays, dtype: DTypeLike | None = None) -> Array:
    """Arrays one below the other.

    Example:
        >>> import numpy as np
        >>> print(vstack([np.array([1, 2, 3]), np.array([1, 2, 3])]))
        [[1 2 3]
         [1 2 3]]
    """
    return concatenate([atleast_2d(x) for x in operands_of("vstack", tup)], 0, dtype)


@composed
def hstack(tup: Arrays, dtype: DTypeLike | None = None) -> Array:
    """Arrays one beside the other: along the second axis, vectors along their only one.

    Example:
        >>> import numpy as np
        >>> print(hstack([np.array([1, 2, 3]), np.array([1, 2, 3])]))
        [1 2 3 1 2 3]
    """
    operands = [atleast_1d(x) for x in operands_of("hstack", tup)]
    return concatenate(operands, 0 if operands[0].ndim == 1 else 1, dtype)


@composed
def dstack(tup: Arrays, dtype: DTypeLike | None = None) -> Array:
    """Arrays one behind the other: along the third axis.

    Example:
        >>> import numpy as np
        >>> print(dstack([np.array([1, 2, 3]), np.array([1, 2, 3])]).shape)
        (1, 3, 2)
    """
    return concatenate([atleast_3d(x) for x in operands_of("dstack", tup)], 2, dtype)


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
    operands = [array_of(x) for x in operands_of("column_stack", tup)]
    return concatenate([transpose(atleast_2d(x)) if x.ndim < 2 else x for x in operands], 1)


_MOST_AXES: Final = 64  # as NumPy has it
Blocks: TypeAlias = "ArrayLike | list[Blocks]"  # an array, or lists of lists of them


def block(arrays: Blocks) -> Array:
    """An array put together from nested lists of blocks: innermost lists along the last axis.

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
        if isinstance(x, list):
            return concatenate([build(each, level + 1) for each in x], level - depth)
        operand = coerce_array("block", 0, x)
        if operand.ndim == rank:
            return operand
        return ops.reshape(operand, shape=(1,) * (rank - operand.ndim) + operand.shape)

    return build(arrays, 0)


def _leaves(arrays: Blocks, depth: int = 0) -> list[ArrayLike]:
    """What stands in nested lists.

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

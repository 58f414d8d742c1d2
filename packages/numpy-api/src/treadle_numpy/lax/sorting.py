"""Sorting, and the greatest elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.errors import flags, integer
from treadle_numpy.lax.shapes import moved
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.shapes import as_index

__all__ = ["sort", "sort_key_val", "top_k"]


@overload
def sort(
    operand: list[ArrayLike] | tuple[ArrayLike, ...],
    dimension: int = -1,
    is_stable: bool = True,
    num_keys: int = 1,
) -> tuple[Array, ...]: ...
@overload
def sort(
    operand: ArrayLike, dimension: int = -1, is_stable: bool = True, num_keys: int = 1
) -> Array: ...
def sort(
    operand: ArrayLike | Sequence[ArrayLike],
    dimension: int = -1,
    is_stable: bool = True,
    num_keys: int = 1,
) -> Array | tuple[Array, ...]:
    """Sort an array, or several arrays by the first `num_keys` of them, in ascending order along an axis; NaN is last.

    Args:
        operand: an array, or a tuple or list of arrays of one shape, which are all rearranged alike.
        dimension: the axis.
        is_stable: whether elements keep their order where all keys are equal.
        num_keys: how many arrays are keys; later keys decide where earlier ones are equal.

    Returns:
        An array, or a tuple of arrays.

    Raises:
        AxisError: there is no such axis.
        ShapeError: the shapes differ.
        ArgumentError: there are no arrays, or `num_keys` is not between 1 and their number.

    Example:
        >>> import numpy as np
        >>> print(sort(np.array([3, 1, 2])))
        [1 2 3]
        >>> first, second = sort((np.array([1, 0, 1]), np.array([5, 4, 3])), num_keys=2)
        >>> print(first, second)
        [0 1 1] [4 3 5]
    """
    flags("sort", is_stable=is_stable)
    num_keys = integer("sort", "num_keys", num_keys)
    given = operand if isinstance(operand, (tuple, list)) else [operand]
    operands = [coerce_array("sort", i, x) for i, x in enumerate(given)]
    if not operands:
        raise ArgumentError("sort: there must be at least one array")
    along = as_axis("sort", dimension, operands[0].ndim)
    results = tuple(ops.sort(operands, dimension=along, num_keys=num_keys, stable=is_stable))
    return results if given is operand else results[0]


def sort_key_val(
    keys: ArrayLike, values: ArrayLike, dimension: int = -1, is_stable: bool = True
) -> tuple[Array, Array]:
    """Keys in ascending order along an axis, and values of their shape rearranged with them; as `sort` with one key.

    Raises:
        AxisError: there is no such axis; ShapeError: the shapes differ.

    Example:
        >>> import numpy as np
        >>> keys, values = sort_key_val(np.array([3, 1, 2]), np.array([10, 20, 30]))
        >>> print(keys, values)
        [1 2 3] [20 30 10]
    """
    ordered, rearranged = sort((keys, values), dimension, is_stable)
    return ordered, rearranged


def top_k(operand: ArrayLike, k: int, *, axis: int = -1, is_stable: bool = True) -> list[Array]:
    """Return the `k` greatest elements along an axis, in descending order, and their positions; NaN is the greatest.

    Args:
        operand: an array.
        k: how many elements.
        axis: the axis.
        is_stable: whether the first ones of equal elements come first; they always do.

    Returns:
        A list of the elements and of their positions, int32, with size `k` along the axis.

    Raises:
        AxisError: there is no such axis.
        ShapeError: `k` is negative, or greater than the size of the axis.
        DTypeError: the elements are complex, or more than i32 can count.

    Example:
        >>> import numpy as np
        >>> values, positions = top_k(np.array([3.0, 1.0, 2.0]), 2)
        >>> print(values, positions)
        [3. 2.] [0 2]
    """
    flags("top_k", is_stable=is_stable)
    x = coerce_array("top_k", 0, operand)
    along = as_axis("top_k", axis, x.ndim)
    values, places = ops.top_k(moved(x, along, -1), k=as_index("top_k", "k", k))
    return [moved(values, -1, along), moved(places, -1, along)]

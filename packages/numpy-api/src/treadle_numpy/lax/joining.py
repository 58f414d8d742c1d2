"""Arrays joined, cut, repeated and padded."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, DType, Operand, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.errors import integer, integers, pairs, sequence
from treadle_numpy.lax.shapes import moved
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.operands.arrays import Elements, array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.promote import converted, promote_operands
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["concatenate", "pad", "split", "stack", "tile", "unstack"]

Arrays: TypeAlias = Sequence[ArrayLike] | Array | Elements


def operands_of(function: str, arrays: Arrays) -> list[Operand]:
    """Return the parts of a sequence of arrays, or of an array along its first axis, as operands; there is at least
    one.

    Raises:
        ArgumentError: there are none.
    """
    if isinstance(arrays, (Array, np.ndarray)):
        arrays = unstack(arrays)
    operands = [coerce(function, i, x) for i, x in enumerate(sequence(function, "arrays", arrays))]
    if not operands:
        raise ArgumentError(
            "Need at least one array to concatenate.",
            fix="pass a list with an array in it; the empty array is `zeros(0)`",
        )
    return operands


def whole_of(function: str, arrays: Arrays) -> Array | None:
    """The array whose parts along its first axis are meant, so that none has to be cut out; None of a sequence."""
    if not isinstance(arrays, (Array, np.ndarray)):
        return None
    x = coerce_array(function, 0, arrays)
    return x if x.ndim and x.shape[0] else None  # of others `operands_of` says what is wrong


def in_common_dtype(operands: list[Operand], dtype: DType | None) -> list[Operand]:
    """Convert operands to one element type: the promoted one by default."""
    return promote_operands(operands) if dtype is None else [converted(x, dtype) for x in operands]


def concatenate(operands: Sequence[ArrayLike], dimension: int) -> Array:
    """Join arrays along an axis.

    Args:
        operands: arrays of one dtype, with equal sizes along the other axes.
        dimension: the axis, not negative.

    Raises:
        ArgumentError: there are no arrays.
        ShapeError: sizes differ on other axes, or there is no such axis; axes do not count from behind here.
        DTypeError: the element types differ.

    Example:
        >>> print(concatenate([np.array([1, 2]), np.array([3])], 0))
        [1 2 3]
    """
    operands = sequence("concatenate", "operands", operands)
    dimension = integer("concatenate", "dimension", dimension)
    parts = [coerce_array("concatenate", i, x) for i, x in enumerate(operands)]
    if not parts:
        raise ArgumentError("concatenate requires a non-empty sequences of arrays")
    return parts[0] if len(parts) == 1 else ops.concatenate(parts, dimension=dimension)


def stack(operands: Arrays, axis: int = 0) -> Array:
    """Join arrays of one shape along a new axis, in the promoted element type.

    Raises:
        ArgumentError: there are no arrays.
        ShapeError: the shapes differ.
        AxisError: the result has no such axis.

    Example:
        >>> print(stack([np.array([1, 2]), np.array([3, 4])], axis=1))
        [[1 3]
         [2 4]]
    """
    return stacked(operands, axis, None)


def stacked(arrays: Arrays, axis: int, dtype: DType | None) -> Array:
    """Join arrays of one shape along a new axis, in an element type if one is given.

    Raises:
        ShapeError: they have different shapes.
    """
    whole = whole_of("stack", arrays)
    if whole is not None:
        result = moved(whole, 0, as_axis("stack", axis, whole.ndim))
        return result if dtype is None else array_of(converted(result, dtype))
    operands = operands_of("stack", arrays)
    own = operands[0].shape
    if any(x.shape != own for x in operands):
        listed = ", ".join(str(x.shape) for x in operands)
        raise ShapeError(
            f"All input arrays must have the same shape. Got {listed}.",
            fix="pad or broadcast them to one shape, or use concatenate",
        )
    place = as_axis("stack", axis, len(own) + 1)
    sizes = (*own[:place], 1, *own[place:])
    parts = [ops.reshape(array_of(x), shape=sizes) for x in in_common_dtype(operands, dtype)]
    return parts[0] if len(parts) == 1 else ops.concatenate(parts, dimension=place)


def split(operand: ArrayLike, sizes: Sequence[int], axis: int = 0) -> list[Array]:
    """Return the array cut along an axis into parts of these sizes.

    Raises:
        AxisError: there is no such axis.
        ShapeError: a size is negative, or they do not sum up to the size of the axis.

    Example:
        >>> [x.tolist() for x in split(np.array([1, 2, 3, 4]), (1, 3))]
        [[1], [2, 3, 4]]
    """
    sizes = integers("split", "sizes", sizes)
    x = coerce_array("split", 0, operand)
    along = as_axis("split", axis, x.ndim)
    if builtins.sum(sizes) != x.shape[along]:
        raise ShapeError(
            f"Sum of sizes {tuple(sizes)} must be equal to dimension {along} of the operand shape {x.shape}"
        )
    parts, start = [], 0
    for size in sizes:
        parts.append(slice_along(x, along, start, start + size))
        start += size
    return parts


@composed
def unstack(x: ArrayLike, axis: int = 0) -> tuple[Array, ...]:
    """Return the parts at each position of an axis, without it: the inverse of `stack`.

    Raises:
        ShapeError: the array has no axes.
        AxisError: it has no such axis.

    Example:
        >>> import numpy as np
        >>> first, second = unstack(np.array([[0, 1], [2, 3]], np.int32), axis=1)
        >>> print(first, second)
        [0 2] [1 3]
    """
    operand = coerce_array("unstack", 0, x)
    if operand.ndim == 0:
        raise ShapeError(
            "unstack requires arrays with rank > 0, however a scalar array was passed."
        )
    place = as_axis("unstack", axis, operand.ndim)
    rest = operand.shape[:place] + operand.shape[place + 1 :]
    return tuple(
        [
            ops.reshape(slice_along(operand, place, i, i + 1), shape=rest)
            for i in range(operand.shape[place])
        ]
    )


def tile(operand: ArrayLike, reps: Shape) -> Array:
    """Repeat the entire array along each axis; `reps` has a number for each.

    Raises:
        ShapeError: a number is negative, or there is not one for each axis.

    Example:
        >>> print(tile(np.array([[1, 2]]), (2, 3)))
        [[1 2 1 2 1 2]
         [1 2 1 2 1 2]]
    """
    x = coerce_array("tile", 0, operand)
    counts = as_shape("tile", reps)
    if len(counts) != x.ndim:
        raise ShapeError(
            f"tile: reps has {len(counts)} numbers, but the array has {x.ndim} axes",
            fix="give one number for each axis, or use treadle.numpy.tile, which adds axes and ones in front",
        )
    own = x.shape
    apart = tuple([n for pair in zip(counts, own, strict=True) for n in pair])
    places = tuple([2 * i + 1 for i in range(len(own))])
    wide = ops.broadcast_in_dim(ops.reshape(x, shape=own), shape=apart, dimensions=places)
    return ops.reshape(wide, shape=tuple([c * n for c, n in zip(counts, own, strict=True)]))


def pad(
    operand: ArrayLike, padding_value: ArrayLike, padding_config: Sequence[tuple[int, int, int]]
) -> Array:
    """Pad an array before, after and between its elements; negative padding removes elements.

    Args:
        operand: an array.
        padding_value: a scalar of the same dtype.
        padding_config: for each axis the numbers of values before, after, and between neighbours; the last is not
            negative.

    Raises:
        ArgumentError: `padding_config` is not a sequence of triples of integers.
        ShapeError: it does not have one triple for each axis, or leaves a negative size, or the value is not a
            scalar.
        DTypeError: array and value have different element types.

    Example:
        >>> print(pad(np.array([1, 2, 3]), 0, [(2, 1, 0)]), pad(np.array([1, 2, 3]), 0, [(0, -1, 1)]))
        [0 0 1 2 3 0] [1 0 2 0]
    """
    x, value = strict("pad", operand, padding_value)
    config = pairs("pad", "padding_config", padding_config, 3)
    low, high, interior = zip(*config, strict=True) if config else ((), (), ())
    return ops.pad(x, value, low=low, high=high, interior=interior)

"""Coordinates of grids, and functions of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeVar, overload

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.errors import flags, functions, names, shown
from treadle_numpy.numpy.creation.ranges import arange
from treadle_numpy.numpy.vectorizing import over_axis
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.shapes import as_shape
from treadle_numpy.operands.trees import Tree

__all__ = ["fromfunction", "indices", "meshgrid"]

Result = TypeVar("Result")


def fromfunction(
    function: Callable[..., Result],
    shape: Sequence[int],
    *,
    dtype: DTypeLike = float,
    **kwargs: Tree,
) -> Result:
    """Return the value of a function at each index of a shape.

    Differs from NumPy: the function is mapped by `vmap`, and sees the coordinates of one index, as scalars. What it
    returns may be a tree of arrays, whose axes come after the axes of `shape`.

    Raises:
        ArgumentError: the function does not take one argument for each axis.

    Example:
        >>> print(fromfunction(lambda i, j: i + j, (2, 3)))
        [[0. 1. 2.]
         [1. 2. 3.]]
    """
    functions("fromfunction", function=function)
    coordinates = indices(shape, dtype=dtype)
    try:
        inspect.signature(function).bind(*coordinates, **kwargs)
    except ValueError:  # functions in C may not tell it
        pass
    except TypeError as error:
        raise ArgumentError(
            f"fromfunction: {shown(function)} does not take the coordinates along {len(coordinates)} axes: {error}",
            fix="pass a shape with as many axes as the function has arguments",
        ) from error
    mapped: Callable[..., Result] = partial(function, **kwargs)
    for _ in coordinates:
        mapped = over_axis(0, mapped, [True] * len(coordinates))
    return mapped(*coordinates)


@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike | None = None, sparse: Literal[False] = False
) -> Array: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike | None = None, *, sparse: Literal[True]
) -> tuple[Array, ...]: ...
def indices(
    dimensions: Sequence[int], dtype: DTypeLike | None = None, sparse: bool = False
) -> Array | tuple[Array, ...]:
    """Return for each axis of a shape the positions along it, as an array of that shape.

    Example:
        >>> print(indices((2, 2)).shape)
        (2, 2, 2)
    """
    flags("indices", sparse=sparse)
    sizes = as_shape("indices", dimensions)
    wanted = as_dtype("indices", dtype) or default_dtype(int)
    parts = []
    for axis, size in enumerate(sizes):
        if sparse:
            shape = tuple(size if i == axis else 1 for i in range(len(sizes)))
            parts.append(ops.reshape(arange(size, dtype=wanted), shape=shape))
        else:
            parts.append(ops.iota(shape=sizes, dimension=axis, dtype=wanted))
    if sparse:
        return tuple(parts)
    if not parts:
        return filled((0,), wanted.type(0))
    return ops.concatenate([ops.reshape(part, shape=(1, *sizes)) for part in parts], dimension=0)


@composed
def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> list[Array]:
    """Return the coordinate arrays of the grid that vectors span.

    Args:
        xi: vectors.
        copy: has no effect: arrays are immutable.
        sparse: whether to return arrays that broadcast to the grid, with size 1 along the other axes.
        indexing: "xy": the first two axes are exchanged; "ij": one axis for each vector, in their order.

    Returns:
        A list with an array for each vector.

    Raises:
        ArgumentError: an argument is not a vector, or `indexing` is neither "xy" nor "ij".

    Example:
        >>> x, y = meshgrid(arange(2), arange(3))
        >>> print(x.shape)
        (3, 2)
    """
    flags("meshgrid", sparse=sparse)
    names("meshgrid", indexing=indexing)
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}")
    vectors = [coerce_array("meshgrid", i, x) for i, x in enumerate(xi)]
    for vector in vectors:
        if vector.ndim > 1:
            raise ArgumentError(f"meshgrid: arguments must be vectors, got shape {vector.shape}")
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    sizes = [0] * len(order)
    for i, vector in enumerate(vectors):
        sizes[order[i]] = vector.size
    grids = []
    for i, vector in enumerate(vectors):
        shape = tuple(vector.size if axis == order[i] else 1 for axis in range(len(sizes)))
        if sparse:
            grids.append(ops.reshape(vector, shape=shape))
        else:
            flat = ops.reshape(vector, shape=(vector.size,))
            grids.append(ops.broadcast_in_dim(flat, shape=tuple(sizes), dimensions=(order[i],)))
    return grids

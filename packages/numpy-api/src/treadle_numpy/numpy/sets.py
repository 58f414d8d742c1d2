"""Sets: unique elements, membership, unions and differences.

The size of these results depends on the elements: while tracing, `size` must say how many there are at most.
"""

from __future__ import annotations

import math
from typing import Final, Literal, overload

import numpy as np

from treadle_ir import Array, Operand, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import allocating, flags, integer_or_none, names, refused
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.shapes import ravel, reshape
from treadle_numpy.numpy.reductions.logical import any
from treadle_numpy.numpy.reductions.running import cumsum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.searching.finding import nonzero, taken
from treadle_numpy.numpy.searching.sorted_vectors import searchsorted
from treadle_numpy.numpy.sorting import sort
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.kinds import isnan
from treadle_numpy.operands.arrays import array_of, filled, made
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import check_settings
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, host_elements
from treadle_numpy.operands.promote import converted, promote

__all__ = ["intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique"]

_METHODS: Final = ("auto", "compare_all", "binary_search", "sort")
_FEW: Final = 128  # compiled, 100 and 100: 23 us in pairs, 39 sorted; 1000 and 1000: 144 and 55


@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> Array: ...
@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[True],
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> tuple[Array, ...]: ...
@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    *,
    return_inverse: Literal[True],
    return_counts: bool = False,
    axis: int | None = None,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> tuple[Array, ...]: ...
@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: bool = False,
    *,
    return_counts: Literal[True],
    axis: int | None = None,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> tuple[Array, ...]: ...
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> Array | tuple[Array, ...]:
    """Return the distinct elements in ascending order.

    Args:
        ar: an array.
        return_index: whether to return the first position of each, too.
        return_inverse: whether to return the position in the result of each element of `ar`, too.
        return_counts: whether to return how often each occurs, too.
        axis: compare slices along this axis; for None elements of the flat array.
        equal_nan: whether NaNs are equal.
        size: the static number of elements to return; needed while tracing.
        fill_value: the element where there are fewer; the least one by default.
        sorted: has no effect: the elements are always sorted.

    Returns:
        The elements, or a tuple of them and the requested arrays.

    Example:
        >>> print(unique(np.array([3, 1, 3], np.int32)))
        [1 3]
    """
    flags(
        "unique",
        return_index=return_index,
        return_inverse=return_inverse,
        return_counts=return_counts,
        equal_nan=equal_nan,
        sorted=sorted,
    )
    axis = integer_or_none("unique", "axis", axis)
    size = integer_or_none("unique", "size", size)
    x = coerce_array("unique", 0, ar)
    if axis is not None:
        axis = as_axis("unique", axis, x.ndim)
    whole = default_dtype(int)
    if size is None:
        elements = concrete_mask("unique", x)
        with allocating():
            found = np.unique(
                elements,
                return_index=True,
                return_inverse=True,
                return_counts=True,
                axis=axis,
                equal_nan=equal_nan,
            )
        inverse = np.reshape(found[2], elements.shape if axis is None else (-1,))
        parts = [
            made(found[0]),
            made(found[1].astype(whole)),
            made(inverse.astype(whole)),
            made(found[3].astype(whole)),
        ]
    else:
        parts = _unique_sized(x, axis, size, fill_value, equal_nan)
    wanted = (True, return_index, return_inverse, return_counts)
    results = tuple([part for part, asked in zip(parts, wanted, strict=True) if asked])
    return results[0] if len(results) == 1 else results


def _unique_sized(
    x: Array, axis: int | None, size: int, fill_value: ArrayLike | None, equal_nan: bool
) -> list[Array]:
    """Unique with a number of results that is known: sort, mark what differs from its neighbour, count."""
    whole = default_dtype(int)
    shape = x.shape
    if axis is None:
        rows = reshape(x, (x.size, 1))
        rest: tuple[int, ...] = ()
    else:
        moved = moveaxis(x, as_axis("unique", axis, x.ndim), 0)
        rest = moved.shape[1:]
        rows = reshape(moved, (moved.shape[0], math.prod(rest)))
    count, width = rows.shape
    if not count:
        nothing = converted(coerce("unique", 6, 0 if fill_value is None else fill_value), x.dtype)
        return [
            broadcast_to(nothing, (size, *rest)),
            filled((size,), whole.type(0)),
            filled(shape if axis is None else (count,), whole.type(0)),
            filled((size,), whole.type(0)),
        ]
    columns = [
        ops.reshape(
            ops.slice(rows, start=(0, j), limit=(count, j + 1), strides=(1, 1)), shape=(count,)
        )
        for j in range(width)
    ]
    if not columns:  # rows of no elements are all equal
        columns, width = [filled((count,), np.bool_(False))], 1
    places = ops.iota(shape=(count,), dtype=whole, dimension=0)
    *ordered, order = list(ops.sort([*columns, places], dimension=0, num_keys=width, stable=True))
    changes = []
    for column in ordered:
        later = ops.slice(column, start=(1,), limit=(count,), strides=(1,))
        earlier = ops.slice(column, start=(0,), limit=(count - 1,), strides=(1,))
        differs = ops.compare(later, earlier, direction="ne")
        if equal_nan and is_inexact(column.dtype):
            differs = ops.and_(differs, ops.not_(ops.and_(isnan(later), isnan(earlier))))
        changes.append(ops.reshape(differs, shape=(count - 1, 1)))
    changed = any(concatenate(changes, 1), 1)
    first = concatenate([filled((1,), np.bool_(True)), changed])
    (bounds,) = nonzero(first, size=size + 1, fill_value=count)
    starts, ends = bounds[:-1], bounds[1:]
    group = ops.subtract(cumsum(ops.convert(first, dtype=whole)), whole.type(1))
    inside = ops.compare(starts, whole.type(count), direction="lt")
    index = take(order, starts, mode="clip")
    values = take(rows, index, 0, mode="clip")
    if fill_value is None:
        fill: Operand = take(values, filled((size,), whole.type(0)), 0, mode="clip")
    else:
        fill = converted(coerce("unique", 6, fill_value), x.dtype)
    values = where(reshape(inside, (size, 1)), values, fill)
    counts = where(inside, ops.subtract(ends, starts), 0)
    inverse = ops.scatter(
        filled((count,), whole.type(0)),
        ops.reshape(order, shape=(count, 1)),
        group,
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        mode="fill",
        unique_indices=True,
    )
    index = where(inside, index, take(index, np.int32(0), mode="clip"))
    return [
        reshape(values, (size, *rest)),
        index,
        reshape(inverse, shape) if axis is None else inverse,
        converted(array_of(counts), whole),
    ]


@composed
def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    method: str = "auto",
) -> Array:
    """Return whether each element is among others.

    All pairs are compared where there are few others; else the others are sorted and searched, so that memory
    grows with the sum of the sizes, not with their product. `method` changes nothing.

    Raises:
        ArgumentError: there is no such method.

    Example:
        >>> print(isin(np.array([1, 2]), np.array([2, 3])))
        [False  True]
    """
    flags("isin", invert=invert)
    names("isin", method=method)
    if method not in _METHODS:
        raise refused("isin", "method", f"one of {', '.join(_METHODS)}", method)
    x, others = [array_of(v) for v in promote("isin", element, test_elements)]
    flat = ravel(others)
    if flat.size <= _FEW:
        shape = (*x.shape, flat.size)
        wide = ops.broadcast_in_dim(x, shape=shape, dimensions=tuple(range(x.ndim)))
        row = ops.broadcast_in_dim(flat, shape=shape, dimensions=(x.ndim,))
        found = any(ops.compare(wide, row, direction="eq"), -1)
    else:
        ordered = sort(flat)
        nearest = take(ordered, searchsorted(ordered, x), mode="clip")
        found = ops.compare(nearest, x, direction="eq")  # a NaN is equal to none
    return ops.not_(found) if invert else found


def union1d(
    ar1: ArrayLike, ar2: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Array:
    """Return the distinct elements of both, in ascending order.

    Example:
        >>> print(union1d(np.array([1, 2, 3]), np.array([2, 4])))
        [1 2 3 4]
    """
    size = integer_or_none("union1d", "size", size)
    flat = [ravel(coerce_array("union1d", i, x)) for i, x in enumerate((ar1, ar2))]
    check_settings("union1d", *flat)
    return unique(concatenate(flat), size=size, fill_value=fill_value)


def setdiff1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array:
    """Return the distinct elements of the first array that the second lacks.

    Example:
        >>> print(setdiff1d(np.array([1, 2, 3]), np.array([2])))
        [1 3]
    """
    flags("setdiff1d", assume_unique=assume_unique)
    size = integer_or_none("setdiff1d", "size", size)
    x, ar2 = ravel(coerce_array("setdiff1d", 0, ar1)), coerce_array("setdiff1d", 1, ar2)
    if size is None:
        kept = concrete_mask("setdiff1d", isin(x, ar2, invert=True))
        elements = host_elements(x)
        assert elements is not None
        return made(elements[kept] if assume_unique else np.unique(elements[kept]))
    if assume_unique:
        found, seen = x, isin(x, ar2, invert=True)
    else:
        found, distinct = _distinct(x)
        seen = ops.and_(distinct, isin(found, ar2, invert=True))
    return _picked("setdiff1d", found, seen, size, fill_value)


def _picked(
    name: str, found: Array, seen: Operand, size: int, fill_value: ArrayLike | None
) -> Array:
    """Return the elements that were seen, and what fills the places that are left."""
    fill = 0 if fill_value is None else fill_value
    if not found.size:
        return filled((size,), array_of(converted(coerce(name, 4, fill), found.dtype)))
    (places,) = nonzero(seen, size=size, fill_value=found.size)
    return taken(name, found, places, 0, fill)


def _distinct(x: Array) -> tuple[Array, Array]:
    """Return the distinct elements of a vector in as many places as it has, and which of the places hold one."""
    found, counts = unique(x, return_counts=True, size=x.size)
    return found, ops.compare(counts, counts.dtype.type(0), direction="gt")


@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: Literal[False] = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array: ...
@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    return_indices: Literal[True],
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> tuple[Array, Array, Array]: ...
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array | tuple[Array, Array, Array]:
    """Return the distinct elements that both have; on request where they first stand in each.

    Raises:
        UnsupportedError: return_indices together with size.

    Example:
        >>> print(intersect1d(np.array([1, 2, 3]), np.array([2, 3, 4])))
        [2 3]
    """
    flags("intersect1d", assume_unique=assume_unique, return_indices=return_indices)
    size = integer_or_none("intersect1d", "size", size)
    x, y = [ravel(array_of(v)) for v in promote("intersect1d", ar1, ar2)]
    if size is None:
        found = np.intersect1d(
            concrete_mask("intersect1d", x),
            concrete_mask("intersect1d", y),
            assume_unique,
            return_indices=True,
        )
        whole = default_dtype(int)
        common, first, second = [made(found[0]), *[made(part.astype(whole)) for part in found[1:]]]
        return (common, first, second) if return_indices else common
    if return_indices:
        raise UnsupportedError("intersect1d: return_indices together with size is not supported")
    found_x, distinct = _distinct(x)
    seen = ops.and_(distinct, isin(found_x, y))
    return _picked("intersect1d", found_x, seen, size, fill_value)


def setxor1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array:
    """Return the distinct elements that exactly one of the two arrays has, in ascending order.

    `assume_unique` promises that both have distinct elements, and saves looking. While tracing, `size` must say how
    many there are at most; places that are left hold `fill_value`, or the least of the elements found.

    Raises:
        ConcretizationError: while tracing, without `size`.

    Example:
        >>> print(setxor1d(np.array([1, 2, 3]), np.array([3, 4, 4])))
        [1 2 4]
    """
    flags("setxor1d", assume_unique=assume_unique)
    size = integer_or_none("setxor1d", "size", size)
    x, y = [ravel(array_of(v)) for v in promote("setxor1d", ar1, ar2)]
    if size is None:
        found = np.setxor1d(
            concrete_mask("setxor1d", x), concrete_mask("setxor1d", y), assume_unique
        )
        return made(found)
    parts = []
    for own, other in ((x, y), (y, x)):
        if assume_unique:
            distinct, here = own, filled(own.shape, np.bool_(True))
        else:
            distinct, here = _distinct(own)
        parts.append((distinct, ops.and_(here, isin(distinct, other, invert=True))))
    elements, alone = [concatenate([one, other]) for one, other in zip(*parts, strict=True)]
    # those that are left out go last: they are ordered by that first
    last = ops.convert(ops.not_(alone), dtype=np.dtype(np.int32))
    _, ordered = ops.sort([last, elements], dimension=0, num_keys=2, stable=True)
    if not elements.size:
        fill = converted(coerce("setxor1d", 4, 0 if fill_value is None else fill_value), x.dtype)
        return filled((size,), array_of(fill))
    count = ops.reduce_add(ops.convert(alone, dtype=default_dtype(int)), axes=(0,))
    places = ops.iota(shape=(size,), dtype=default_dtype(int), dimension=0)
    least = take(ordered, np.int32(0), mode="clip")
    fill = least if fill_value is None else converted(coerce("setxor1d", 4, fill_value), x.dtype)
    inside = ops.compare(places, count, direction="lt")
    return where(inside, take(ordered, places, mode="clip"), fill)

"""What the methods of ufuncs do: an array's own elements combined, by the reduction that there is, or one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from treadle_ir import ArgumentError, Array, ArrayType, ShapeError, UnsupportedError, ops, stage
from treadle_ir.core import default_dtype, is_symbolic_dim
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import flags
from treadle_numpy.indexing.entries import read_index
from treadle_numpy.indexing.positions import wrapped
from treadle_numpy.indexing.reading import take_entries
from treadle_numpy.indexing.writing import How, update
from treadle_numpy.lax.control.scan import scan
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.dtypes.questions import can_cast
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.shapes import ravel, reshape
from treadle_numpy.numpy.reductions.extremes import max, min
from treadle_numpy.numpy.reductions.logical import all, any
from treadle_numpy.numpy.reductions.running import cumprod, cumsum
from treadle_numpy.numpy.reductions.sums import prod, sum
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply, negative, subtract
from treadle_numpy.numpy.ufuncs.extremes import maximum, minimum
from treadle_numpy.numpy.ufuncs.logic import logical_and, logical_or
from treadle_numpy.numpy.ufuncs.universal import ufunc
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import Elements, array_of, filled
from treadle_numpy.operands.axes import Axis, as_axis, sorted_axes
from treadle_numpy.operands.coerce import (
    ArrayLike,
    coerce,
    coerce_array,
    host_elements,
    operand_type,
)
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import truth
from treadle_numpy.operands.shapes import kept_shape
from treadle_numpy.operands.trees import Tree

_Ufunc = ufunc[Any]  # of whatever results
_TOTALS: Final[dict[_Ufunc, Callable[..., Array]]] = {add: sum, multiply: prod}
_REDUCTIONS: Final[dict[_Ufunc, Callable[..., Array]]] = {
    maximum: max,
    minimum: min,
    logical_and: all,
    logical_or: any,
}
_RUNNING: Final[dict[_Ufunc, Callable[..., Array]]] = {add: cumsum, multiply: cumprod}
_SCATTERS: Final = {
    add: ops.scatter_add,
    multiply: ops.scatter_multiply,
    maximum: ops.scatter_maximum,
    minimum: ops.scatter_minimum,
}


def _binary(function: _Ufunc, method: str) -> str:
    """Return the name of a method, which only functions of two arguments and one result have."""
    if function.nin != 2:
        raise ArgumentError(
            f"{function.__name__}.{method}: only functions of two arguments have it, this one takes {function.nin}"
        )
    if function.nout != 1:
        raise ArgumentError(
            f"{function.__name__}.{method}: only functions with one result have it, this one has {function.nout}"
        )
    return f"{function.__name__}.{method}"


def reduce(
    function: _Ufunc,
    a: ArrayLike,
    axis: Axis,
    dtype: DTypeLike | None,
    out: None,
    keepdims: bool,
    initial: ArrayLike | None,
    where: ArrayLike | None,
) -> Array:
    """Implement `ufunc.reduce`."""
    name = _binary(function, "reduce")
    named_only(name, out=out)
    flags(name, keepdims=keepdims)
    x = coerce_array(name, 0, a)
    axes = sorted_axes(name, axis, x.ndim)
    if function in _TOTALS:
        return _TOTALS[function](x, axes, dtype, keepdims=keepdims, initial=initial, where=where)
    element = as_dtype(name, dtype)
    x = x if element is None else converted(x, element)
    if function in _REDUCTIONS and initial is None:
        if function in (maximum, minimum) and where is not None:
            raise _no_start(name)
        return _REDUCTIONS[function](x, axes, keepdims=keepdims, where=where)
    start = function.identity if initial is None else initial
    mask = None
    if where is not None:
        if start is None:
            raise _no_start(name)
        mask = _rows(broadcast_to(array_of(truth(name, 6, where)), x.shape), axes)
    rows = _as_results(function, _rows(x, axes))
    result = _folded(name, function, rows, start, mask)
    return ops.reshape(result, shape=kept_shape(x.shape, axes)) if keepdims else result


def _no_start(name: str) -> ArgumentError:
    return ArgumentError(
        f"{name}: the function has no identity, so with `where` there is nothing to begin with",
        fix="pass `initial`",
    )


def _rows(x: Array, axes: tuple[int, ...]) -> Array:
    """Return the axes that are reduced, as one in front."""
    moved = moveaxis(x, axes, tuple(range(len(axes))))
    rest = moved.shape[len(axes) :]
    size = 1
    for axis in axes:
        size *= x.shape[axis]
    return ops.reshape(moved, shape=(size, *rest))


def _as_results(function: _Ufunc, rows: Array) -> Array:
    """Return the elements in the type of the function's results, which are its arguments again."""
    shape = (1, *rows.shape[1:])
    first = slice_along(rows, 0, 0, 1) if rows.shape[0] else filled(shape, rows.dtype.type(0))
    result = coerce_array(function.__name__, 0, function(first, first))
    return converted(rows, result.dtype)


def _combined(function: _Ufunc, x: Array, y: Array) -> Array:
    """Return the function of elements, in their own type."""
    result = coerce_array(function.__name__, 0, function(x, y))
    if result.shape != x.shape:
        raise ShapeError(
            f"{function.__name__}: the result of two elements has shape {result.shape}, not {x.shape}"
        )
    return converted(result, x.dtype)


def _folded(
    name: str, function: _Ufunc, rows: Array, start: ArrayLike | None, mask: Array | None
) -> Array:
    """Return the elements along the first axis combined one after the other."""
    if start is not None:
        first = broadcast_to(converted(coerce_array(name, 5, start), rows.dtype), rows.shape[1:])
    elif rows.shape[0]:
        first = ops.reshape(slice_along(rows, 0, 0, 1), shape=rows.shape[1:])
        rows = slice_along(rows, 0, 1, rows.shape[0])
    else:
        raise ArgumentError(
            f"zero-size array to reduction operation {name} which has no identity",
            fix="pass `initial`",
        )

    def step(carry: Array, row: tuple[Array, Array | None]) -> tuple[Array, None]:
        new = _combined(function, carry, row[0])
        return new if row[1] is None else ops.select(row[1], new, carry), None

    return scan(step, first, (rows, mask))[0]


def accumulate(
    function: _Ufunc, a: ArrayLike, axis: int, dtype: DTypeLike | None, out: None
) -> Array:
    """Implement `ufunc.accumulate`."""
    name = _binary(function, "accumulate")
    named_only(name, out=out)
    x = coerce_array(name, 0, a)
    along = as_axis(name, axis, x.ndim)
    if function in _RUNNING:
        return _RUNNING[function](x, along, dtype)
    element = as_dtype(name, dtype)
    rows = moveaxis(x if element is None else converted(x, element), along, 0)
    if not rows.shape[0]:
        return moveaxis(rows, 0, along)
    rows = _as_results(function, rows)

    def step(carry: Array, row: Array) -> tuple[Array, Array]:
        new = _combined(function, carry, row)
        return new, new

    first = slice_along(rows, 0, 0, 1)
    rest = slice_along(rows, 0, 1, rows.shape[0])
    _, later = scan(step, ops.reshape(first, shape=rows.shape[1:]), rest)
    return moveaxis(concatenate([first, later]), 0, along)


def reduceat(
    function: _Ufunc,
    a: ArrayLike,
    indices: ArrayLike,
    axis: int,
    dtype: DTypeLike | None,
    out: None,
) -> Array:
    """`ufunc.reduceat`: in one pass along the axis, in which parts that overlap are side by side."""
    name = _binary(function, "reduceat")
    named_only(name, out=out)
    element = as_dtype(name, dtype)
    x, places = coerce_array(name, 0, a), coerce_array(name, 1, indices)
    along = as_axis(name, axis, x.ndim)
    if places.ndim != 1 or not is_integer(places.dtype):
        raise ArgumentError(
            f"{name}: indices must be a vector of integers, got {operand_type(places)}"
        )
    rows = moveaxis(x if element is None else converted(x, element), along, 0)
    whole = default_dtype(int)
    starts = array_of(wrapped(places, rows.shape[0]))
    if not places.size:
        return moveaxis(slice_along(rows, 0, 0, 0), 0, along)
    rows = _as_results(function, rows)
    given, size = host_elements(coerce(name, 1, indices)), rows.shape[0]
    if given is not None and not is_symbolic_dim(size):
        known = given.astype(np.int64)
        known = np.where(known < 0, known + size, known)
        if (np.diff(known, prepend=-1, append=size) > 0).all():
            return moveaxis(_parts_in_order(function, rows, known), 0, along)
    ends = concatenate([starts[1:], filled((1,), whole.type(rows.shape[0]))])
    first = take(rows, starts, 0, mode="fill")
    shape = (starts.size, *(1,) * (rows.ndim - 1))
    starts, ends = ops.reshape(starts, shape=shape), ops.reshape(ends, shape=shape)

    def step(carry: Array, row: tuple[Array, Array]) -> tuple[Array, None]:
        position, elements = row
        here = filled(shape, position)
        inside = ops.and_(
            ops.compare(here, starts, direction="gt"), ops.compare(here, ends, direction="lt")
        )
        new = _combined(function, carry, broadcast_to(elements, carry.shape))
        return ops.select(broadcast_to(inside, carry.shape), new, carry), None

    numbers = ops.iota(shape=(rows.shape[0],), dtype=whole, dimension=0)
    return moveaxis(scan(step, first, (numbers, rows))[0], 0, along)


def _parts_in_order(function: _Ufunc, rows: Array, starts: Elements) -> Array:
    """Return the parts that begin at ascending places, each combined: one after the other."""
    count = rows.shape[0]
    begins = np.zeros(count, np.bool_)
    begins[starts] = True

    def step(carry: Array, row: tuple[Array, Array]) -> tuple[Array, Array]:
        first, element = row
        new = _combined(function, carry, element)
        new = ops.select(broadcast_to(first, new.shape), element, new)
        return new, new

    start = ops.reshape(slice_along(rows, 0, 0, 1), shape=rows.shape[1:])
    _, partial = scan(step, start, (begins, rows))
    return take(partial, np.append(starts[1:], count) - 1, 0, mode="clip")


def at(function: _Ufunc, a: ArrayLike, indices: Tree, b: ArrayLike | None, inplace: bool) -> Array:
    """Implement `ufunc.at`."""
    name = f"{function.__name__}.at"
    flags(name, inplace=inplace)
    if inplace:
        raise UnsupportedError(
            f"{name} cannot change an array in place: arrays are immutable",
            fix="pass inplace=False, and use the result",
        )
    if function.nout != 1 or function.nin not in (1, 2):
        raise ArgumentError(
            f"{name}: only functions of one or two arguments with one result have it"
        )
    if (b is None) != (function.nin == 1):
        raise ArgumentError(
            f"{name}: the function takes {function.nin} argument(s), "
            f"so `b` {'cannot' if b is not None else 'must'} be given"
        )
    x = coerce_array(name, 0, a)
    if b is None:
        return _one_by_one(name, function, _holding_results(function, x), indices, None)
    y = coerce_array(name, 2, b)
    if function in (add, multiply):
        return update(How(_SCATTERS[function]), x, indices, b)
    if function is subtract:  # negated in the array's type: an unsigned number has no other sign
        return update(How(ops.scatter_add), x, indices, negative(converted(y, x.dtype)))
    x = _holding_results(function, x, y)
    if function in _SCATTERS:
        return update(How(_SCATTERS[function]), x, indices, b)
    return _one_by_one(name, function, x, indices, y)


def _holding_results(function: _Ufunc, x: Array, *others: Array) -> Array:
    """Return the array, in the type of the function's results if that is of a higher kind, as floats for integers.

    NumPy changes an array in place, and refuses such results.
    """
    elements = [operand_type(each).with_shape(()) for each in (x, *others)]
    (result,) = stage(lambda *each: [function(*each)], *elements).program.result_types
    assert isinstance(result, ArrayType)
    return x if can_cast(result.dtype, x.dtype, "same_kind") else converted(x, result.dtype)


def _one_by_one(name: str, function: _Ufunc, x: Array, indices: Tree, b: Array | None) -> Array:
    """Return the function at each of the places in turn."""
    if not x.size:
        return x
    whole = default_dtype(int)
    numbers = reshape(ops.iota(shape=(x.size,), dtype=whole, dimension=0), x.shape)
    places = take_entries(numbers, read_index(x.shape, indices), "fill", x.size)
    values: Array | None = None
    if b is not None:
        values = ravel(broadcast_to(b, places.shape))

    def step(flat: Array, each: tuple[Array, Array | None]) -> tuple[Array, None]:
        place, value = each
        old = take(flat, place, mode="clip")
        new = function(old) if value is None else function(old, value)
        one = converted(coerce_array(name, 0, new), flat.dtype)
        return update(How(ops.scatter, "drop"), flat, place, one), None

    return reshape(scan(step, ravel(x), (ravel(places), values))[0], x.shape)


def outer(function: _Ufunc, a: ArrayLike, b: ArrayLike) -> Tree:
    """Implement `ufunc.outer`."""
    name = _binary(function, "outer")
    x, y = coerce_array(name, 0, a), coerce_array(name, 1, b)
    return function(reshape(x, (*x.shape, *(1,) * y.ndim)), y)

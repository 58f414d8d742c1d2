"""Choosing and finding: where, select, clip, nonzero, searchsorted, interp, bincount.

Long because these are sixteen functions that share little but their subject.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import Array, DType, current_trace, default_dtype
from treadle_ir.dtypes import BY_NAME, is_complex, is_inexact, is_integer
from treadle_ir.primitives.compare import Select
from treadle_numpy.coercion import (
    ArrayLike,
    ValueArgumentError,
    array_of,
    as_axis,
    as_index,
    as_shape,
    broadcast,
    coerce,
    converted,
    filled,
    host_elements,
    made,
    named_only,
    operand_type,
    ops,
    promote,
    promote_operands,
    shape_of,
)
from treadle_numpy.dtypes import finfo
from treadle_numpy.elementwise import (
    add,
    floor_divide,
    less,
    less_equal,
    maximum,
    minimum,
    multiply,
    remainder,
    scalar_beside,
)
from treadle_numpy.indexing import concrete_mask, take
from treadle_numpy.logic import isnan, truth
from treadle_numpy.manipulation import concatenate, ravel, stack
from treadle_numpy.sorting import argsort

_SELECT: Final = Select()


def where(
    condition: Any,
    x: Any = None,
    y: Any = None,
    /,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """`x` where the condition holds, else `y`; without them, the positions where it holds (see `nonzero`).

    Differs from NumPy: gradients flow through the branch that is taken only, but a NaN that the other branch's
    derivative makes still arrives: make its argument safe with a second `where`.

    Raises:
        ValueArgumentError: one of `x` and `y` is given without the other.
        ShapeError, DTypeError: condition and choices have no common shape, or the choices no common element type.
        ConcretizationError: without choices or `size`, while tracing.

    Example:
        >>> print(where(np.array([True, False]), 1, 2))
        [1 2]
    """
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    if x is None or y is None:
        raise ValueArgumentError(
            "where: either both or neither of the x and y arguments should be provided"
        )
    try:
        type_ = x.type
        given = condition.type
        if given.dtype.kind == "b" and given.shape == type_.shape:
            other = y if y.__class__ is x.__class__ and y.type is type_ else scalar_beside(y, type_)
            if other is not None:
                return current_trace().process(_SELECT, (condition, x, other))[0]
    except AttributeError:  # something is no array
        pass
    chosen = truth("where", 0, condition)
    first, second = promote_operands([coerce("where", 1, x), coerce("where", 2, y)])
    chosen, first, second = broadcast("where", [chosen, first, second])
    return ops.select(chosen, first, second)


def select(
    condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> Array:
    """From the first choice whose condition holds; else the default.

    Raises:
        ValueArgumentError: there are no conditions, or not one choice for each.
        ShapeError, DTypeError: as `where`.

    Example:
        >>> x = np.arange(4, dtype=np.int32)
        >>> print(select([x < 1, x < 3], [x + 10, x + 20], 5))
        [10 21 22  5]
    """
    if len(condlist) != len(choicelist):
        raise ValueArgumentError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})"
        )
    if not condlist:
        raise ValueArgumentError("condlist must be non-empty")
    *choices, result = promote("select", *choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = where(condition, choice, result)
    return array_of(result)


def piecewise(x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """The value of the function whose condition holds; one function more is for where none does (else 0).

    Differs from NumPy: each function is applied to all of `x`.

    Raises:
        ValueArgumentError: there are neither as many functions as conditions nor one more.
        ShapeError: as `where`.

    Example:
        >>> x = np.array([-2.0, 3.0], np.float32)
        >>> print(piecewise(x, [x < 0], [lambda x: -x, 1.0]))
        [2. 1.]
    """
    operand = array_of(coerce("piecewise", 0, x))
    conditions = list(condlist) if isinstance(condlist, (list, tuple)) else [condlist]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        functions = [functions[-1], *functions[:-1]]
    elif len(functions) == len(conditions):
        functions = [0, *functions]
    else:
        raise ValueArgumentError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are "
            f"expected; got {len(functions)}"
        )
    values = [f(operand, *args, **kw) if callable(f) else f for f in functions]
    result = converted(coerce("piecewise", 2, values[0]), operand.dtype)
    for condition, value in zip(reversed(conditions), reversed(values[1:]), strict=True):
        result = where(condition, converted(coerce("piecewise", 2, value), operand.dtype), result)
    return array_of(result)


def clip(arr: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """The numbers kept between two bounds; a bound that is None is no bound.

    Raises:
        ValueArgumentError: one of them is complex.
        ShapeError: they have no common shape.

    Example:
        >>> print(clip(np.array([1, 5], np.int32), 2, 3))
        [2 3]
    """
    result: Any = coerce("clip", 0, arr)
    for position, each in enumerate((result, min, max)):
        if each is not None and is_complex(operand_type(coerce("clip", position, each)).dtype):
            raise ValueArgumentError(
                "Clip received a complex value either through the input or the min/max keywords",
                fix="complex numbers have no order: clip real and imaginary parts",
            )
    if min is not None:
        result = maximum(min, result)
    if max is not None:
        result = minimum(max, result)
    return array_of(result)


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Array:
    """The numbers with NaN and infinities replaced (by 0 and the greatest and least finite numbers).

    Differs from NumPy: `copy` changes nothing; the result is always an array of its own.

    Example:
        >>> print(nan_to_num(np.array([1.0, np.nan, np.inf], np.float32), posinf=9.0))
        [1. 0. 9.]
    """
    operand = coerce("nan_to_num", 0, x)
    dtype = operand_type(operand).dtype
    if not is_inexact(dtype):
        return array_of(operand)
    if is_complex(dtype):
        return ops.complex(
            nan_to_num(ops.real(operand), copy, nan, posinf, neginf),
            nan_to_num(ops.imag(operand), copy, nan, posinf, neginf),
        )
    limits = finfo(dtype)
    high = dtype.type(limits.max) if posinf is None else posinf
    low = dtype.type(limits.min) if neginf is None else neginf
    result = where(isnan(operand), converted(coerce("nan_to_num", 2, nan), dtype), operand)
    result = where(
        ops.compare(result, dtype.type(np.inf), direction="eq"),
        converted(coerce("nan_to_num", 3, high), dtype),
        result,
    )
    return array_of(
        where(
            ops.compare(result, dtype.type(-np.inf), direction="eq"),
            converted(coerce("nan_to_num", 4, low), dtype),
            result,
        )
    )


def nonzero(a: ArrayLike, *, size: int | None = None, fill_value: Any = None) -> tuple[Array, ...]:
    """The positions of the elements that are not zero, one array for each axis.

    Constraints:
        While tracing, `size` must say how many there are at most; places that are left hold `fill_value` (0).

    Raises:
        ConcretizationError: while tracing, without `size`.
        ValueArgumentError: `a` has no axes.

    Example:
        >>> print(nonzero(np.array([0, 5, 0, 7]))[0])
        [1 3]
    """
    operand = coerce("nonzero", 0, a)
    shape = shape_of(operand)
    if not shape:
        raise ValueArgumentError(
            "Calling nonzero on 0d arrays is not allowed.", fix="use atleast_1d(...).nonzero()"
        )
    whole = default_dtype(int)
    mask = truth("nonzero", 0, operand)
    if size is None:
        elements = concrete_mask("nonzero", mask)
        return tuple([made(part.astype(whole)) for part in np.nonzero(elements)])
    flat = ravel(mask)
    count = as_index("nonzero", "size", size)
    fills = list(fill_value) if isinstance(fill_value, (tuple, list)) else [fill_value] * len(shape)
    if flat.size == 0 or count == 0:
        return tuple([array_of(filled((count,), whole.type(0 if f is None else f))) for f in fills])
    before = ops.cumulative_add(ops.convert(flat, dtype=whole), axis=0, reverse=False)
    # the k-th one is at the number of places that have at most k ones up to them
    total = take(before, np.int32(flat.size - 1), mode="clip")
    tally = ops.scatter_add(
        filled((count,), whole.type(0)),
        ops.reshape(before, shape=(flat.size, 1)),
        filled((flat.size,), whole.type(1)),
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        mode="fill",
    )
    places = ops.cumulative_add(tally, axis=0, reverse=False)
    left = ops.compare(ops.iota(shape=(count,), dtype=whole, dimension=0), total, direction="ge")
    parts, rest = [], places
    for n in reversed(shape[1:]):  # the quotient and the remainder, with one division
        quotient = ops.divide(rest, whole.type(n))
        parts.append(ops.subtract(rest, ops.multiply(quotient, whole.type(n))))
        rest = quotient
    parts.append(rest)
    results = []
    for part, fill in zip(reversed(parts), fills, strict=True):
        filling = converted(coerce("nonzero", 1, 0 if fill is None else fill), whole)
        results.append(array_of(where(left, filling, part)))
    return tuple(results)


def flatnonzero(a: ArrayLike, *, size: int | None = None, fill_value: Any = None) -> Array:
    """The positions in the flat array of the elements that are not zero.

    Raises:
        ConcretizationError: while tracing, without `size`.

    Example:
        >>> print(flatnonzero(np.array([[0, 5], [0, 7]])))
        [1 3]
    """
    return nonzero(ravel(a), size=size, fill_value=fill_value)[0]


def argwhere(
    a: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Array:
    """The positions of the elements that are not zero, one row for each.

    Raises:
        ConcretizationError: while tracing, without `size`.

    Example:
        >>> print(argwhere(np.array([[0, 5], [0, 7]])))
        [[0 1]
         [1 1]]
    """
    operand = coerce("argwhere", 0, a)
    if not shape_of(
        operand
    ):  # its one element, if that is not zero, has a position of no coordinates
        (places,) = nonzero(ravel(operand), size=size)
        return filled((places.size, 0), places.dtype.type(0))
    return stack(list(nonzero(operand, size=size, fill_value=fill_value)), axis=-1)


def extract(
    condition: ArrayLike, arr: ArrayLike, *, size: int | None = None, fill_value: ArrayLike = 0
) -> Array:
    """The elements of the flat array where a condition holds.

    Raises:
        ConcretizationError: while tracing, without `size`.

    Example:
        >>> print(extract(np.array([True, False, True]), np.array([1, 2, 3])))
        [1 3]
    """
    return compress(ravel(condition), ravel(arr), size=size, fill_value=fill_value)


def compress(
    condition: ArrayLike,
    a: ArrayLike,
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: ArrayLike = 0,
    out: None = None,
) -> Array:
    """The parts along an axis at the places where a condition holds.

    Raises:
        AxisError: `a` has no such axis.
        ConcretizationError: while tracing, without `size`.
        UnsupportedError: `out` is given.
        ValueArgumentError: the condition has no axes.

    Example:
        >>> print(compress(np.array([True, False]), np.array([[1, 2], [3, 4]]), axis=0))
        [[1 2]]
    """
    named_only("compress", out=out)
    if isinstance(condition, (list, tuple)):
        condition = np.asarray(condition)
    x = array_of(coerce("compress", 1, a))
    if axis is None:
        x, axis = ravel(x), 0
    along = as_axis("compress", axis, x.ndim)
    (places,) = nonzero(
        condition, size=size, fill_value=x.shape[along] if size is not None else None
    )
    return take(
        x,
        places,
        along,
        mode="fill" if size is not None else "clip",
        fill_value=fill_value if size is not None else None,
    )


def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: str = "left",
    sorter: ArrayLike | None = None,
    *,
    method: str = "scan",
) -> Array:
    """Where each value would have to be put into a sorted vector to keep it sorted.

    Differs from NumPy: positions are i32 where that is enough. `method` changes nothing.

    Raises:
        ValueArgumentError: `a` is no vector, or `side` is neither `left` nor `right`.
        DTypeError: `a` and `v` have no common element type.

    Example:
        >>> print(searchsorted(np.array([1, 3, 5], np.int32), 3))
        1
    """
    if side not in ("left", "right"):
        raise ValueArgumentError(
            f"side={side!r} is an invalid argument for side. Expected one of ('left', 'right')"
        )
    ordered, values = promote("searchsorted", a, v)
    ordered, values = array_of(ordered), array_of(values)
    if ordered.ndim != 1:
        raise ValueArgumentError("a should be 1-dimensional")
    if sorter is not None:
        ordered = take(ordered, sorter, mode="clip")
    size = ordered.size
    whole = _position_dtype(size)
    place = filled(values.shape, whole.type(0))
    # bisection, unrolled: as many elements are before the value as the sum of the steps that are taken
    for step in [1 << k for k in reversed(range(size.bit_length()))]:
        further = ops.add(place, whole.type(step))
        here = take(ordered, ops.subtract(further, whole.type(1)), mode="clip")
        taken = ops.and_(
            ops.compare(further, whole.type(size), direction="le"), _before(here, values, side)
        )
        place = ops.select(taken, further, place)
    return place


def _position_dtype(size: int) -> DType:
    """The integers that positions in a vector are counted in: of 32 bits while they do."""
    return BY_NAME["i32" if size < 2**31 else "i64"]


def _before(here: Any, values: Any, side: str) -> Any:
    """Whether the place of a value is after an element; NaN is the greatest."""
    if side == "left":
        result = less(here, values)
        if is_inexact(operand_type(here).dtype):
            result = ops.or_(result, ops.and_(isnan(values), ops.not_(isnan(here))))
        return result
    result = less_equal(here, values)
    if is_inexact(operand_type(here).dtype):
        result = ops.or_(result, isnan(values))
    return result


def digitize(
    x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: str | None = None
) -> Array:
    """The bin of each element, for bins that ascend or descend.

    Differs from NumPy: bins in disorder are not noticed. `method` changes nothing.

    Raises:
        ValueArgumentError: `bins` is no vector.

    Example:
        >>> print(digitize(np.array([0, 4, 9], np.int32), np.array([1, 5], np.int32)))
        [0 1 2]
    """
    edges = array_of(coerce("digitize", 1, bins))
    if edges.ndim != 1:
        raise ValueArgumentError("digitize: bins must be a 1-dimensional array")
    values = array_of(coerce("digitize", 0, x))
    if edges.size == 0:
        return filled(values.shape, _position_dtype(0).type(0))
    side = "left" if right else "right"
    descending = less(take(edges, np.int32(-1)), take(edges, np.int32(0)))
    up = searchsorted(edges, values, side)
    down = ops.subtract(
        _position_dtype(edges.size).type(edges.size),
        searchsorted(ops.reverse(edges, dimensions=(0,)), values, side),
    )
    return array_of(where(descending, down, up))


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Array:
    """Values between the points (xp, fp) by straight lines; constant outside of them.

    Raises:
        ValueArgumentError: `xp` and `fp` are not vectors of one size, or `left` or `right` is a string other than
            `extrapolate`.

    Example:
        >>> print(interp(1.5, np.array([1.0, 2.0], np.float32), np.array([10.0, 20.0], np.float32)))
        15.0
    """
    if [side for side in (left, right) if isinstance(side, str) and side != "extrapolate"]:
        raise ValueArgumentError(
            "interp: the only valid string for left and right is 'extrapolate'"
        )
    places, points = promote("interp", x, xp, inexact=True)
    (values,) = promote("interp", fp, inexact=True)
    values = promote("interp", values, places, points)[0]  # which may be complex: places stay real
    places, points, values = array_of(places), array_of(points), array_of(values)
    if points.ndim != 1 or values.shape != points.shape:
        raise ValueArgumentError("xp and fp must be one-dimensional arrays of equal size")
    if period is not None:
        length = converted(coerce("interp", 5, period), points.dtype)
        places, points = remainder(places, length), remainder(points, length)
        order = argsort(points)
        points, values = take(points, order, mode="clip"), take(values, order, mode="clip")
        points = concatenate(
            [ops.subtract(points[-1:], length), points, ops.add(points[:1], length)]
        )
        values = concatenate([values[-1:], values, values[:1]])
    size = points.size
    whole = _position_dtype(size)
    after = clip(searchsorted(points, places, "right"), 1, size - 1)
    before = ops.subtract(after, whole.type(1))
    x0, x1 = take(points, before, mode="clip"), take(points, after, mode="clip")
    y0, y1 = take(values, before, mode="clip"), take(values, after, mode="clip")
    gap = ops.subtract(x1, x0)
    flat = ops.compare(gap, points.dtype.type(0), direction="eq")
    share = ops.divide(ops.subtract(places, x0), ops.select(flat, points.dtype.type(1), gap))
    rise = ops.subtract(y1, y0)
    if rise.dtype != share.dtype:
        share = ops.convert(share, dtype=rise.dtype)
    result = where(flat, y0, ops.add(y0, ops.multiply(share, rise)))
    if left != "extrapolate":
        edge = take(values, np.int32(0)) if left is None else left
        result = where(ops.compare(places, take(points, np.int32(0)), direction="lt"), edge, result)
    if right != "extrapolate":
        edge = take(values, np.int32(size - 1)) if right is None else right
        result = where(
            ops.compare(places, take(points, np.int32(size - 1)), direction="gt"), edge, result
        )
    return array_of(result)


def bincount(
    x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0, *, length: int | None = None
) -> Array:
    """How often each number from 0 on occurs, or the sum of the weights where it does.

    Constraints:
        While tracing, `length` must say how many numbers are counted.

    Differs from NumPy: negative numbers count as 0.

    Raises:
        ConcretizationError: while tracing, without `length`.
        ValueArgumentError: `x` is no vector of integers.

    Example:
        >>> print(bincount(np.array([1, 1, 3])))
        [0 2 0 1]
    """
    values = array_of(coerce("bincount", 0, x))
    if not is_integer(values.dtype) or values.ndim != 1:
        raise ValueArgumentError(
            f"bincount: x must be a vector of integers, got {operand_type(values)}"
        )
    if length is None:
        elements = concrete_mask("bincount", values)
        length = max(int(elements.max()) + 1 if elements.size else 0, minlength)
    whole = default_dtype(int)
    if weights is None:
        amounts: Any = filled(values.shape, whole.type(1))
    else:
        amounts = array_of(coerce("bincount", 1, weights))
    places = maximum(converted(values, whole), whole.type(0))
    return ops.scatter_add(
        filled((length,), operand_type(amounts).dtype.type(0)),
        ops.reshape(places, shape=(values.size, 1)),
        amounts,
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        mode="fill",
    )


def unravel_index(indices: ArrayLike, shape: Any) -> tuple[Array, ...]:
    """Positions in a flat array as positions along the axes of a shape.

    Differs from NumPy: positions out of range are taken for the first or the last, after counting negative ones from
    the end.

    Raises:
        ShapeError: a size is negative.

    Example:
        >>> print(*unravel_index(np.array([1, 5], np.int32), (2, 3)))
        [0 1] [1 2]
    """
    sizes = as_shape("unravel_index", shape)
    total = math.prod(sizes)
    left: Any = array_of(coerce("unravel_index", 0, indices))
    left = where(
        ops.compare(left, left.dtype.type(0), direction="lt"),
        ops.add(left, left.dtype.type(total)),
        left,
    )
    left = clip(left, 0, total - 1)
    parts: list[Any] = []
    for n in reversed(sizes):
        parts.insert(0, remainder(left, n))
        left = floor_divide(left, n)
    return tuple(parts)


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: Sequence[int],
    mode: str = "raise",
    order: str = "C",
    *,
    dtype: Any = None,
) -> Array:
    """Positions along axes as positions in the flat array; `mode` clip or wrap while tracing.

    Raises:
        ConcretizationError: `mode` is `raise` while tracing.
        ValueArgumentError: there are not as many positions as axes, one is out of range, or there is no such mode.

    Example:
        >>> print(ravel_multi_index((np.array([0, 1]), np.array([1, 2])), (2, 3)))
        [1 5]
    """
    sizes = as_shape("ravel_multi_index", dims)
    if len(sizes) != len(multi_index):
        raise ValueArgumentError(f"len(multi_index)={len(multi_index)} != len(dims)={len(sizes)}")
    parts = [array_of(coerce("ravel_multi_index", i, x)) for i, x in enumerate(multi_index)]
    for i, (part, n) in enumerate(zip(parts, sizes, strict=True)):
        if mode == "raise":
            elements = host_elements(part)
            if elements is None:
                concrete_mask("ravel_multi_index (with mode='raise')", part)
            if elements is not None and ((elements < 0) | (elements >= n)).any():
                raise ValueArgumentError("invalid entry in coordinates array")
        elif mode == "clip":
            parts[i] = clip(part, 0, n - 1)
        elif mode == "wrap":
            parts[i] = remainder(part, n)
        else:
            raise ValueArgumentError(f"invalid mode={mode!r}. Expected 'raise', 'wrap', or 'clip'")
    result: Any = 0
    pairs = list(zip(parts, sizes, strict=True))
    for part, n in pairs if order == "C" else reversed(pairs):
        result = add(multiply(result, n), part)
    return array_of(result)

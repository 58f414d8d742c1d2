"""Shapes and arrangement: reshape, transpose, concatenate, split, pad, repeat, roll, diagonals.

Long because NumPy has more than fifty such functions; each is a few lines on `reshape`, `transpose`, `slice`
and `concatenate`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final, cast

import numpy as np

from treadle_ir import (
    Array,
    DType,
    ShapeError,
    current_trace,
    default_dtype,
    x64_enabled,
)
from treadle_ir.dtypes import is_inexact
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.shape import Concatenate, Reshape, Transpose
from treadle_numpy.coercion import (
    ArrayLike,
    Plans,
    Shape,
    UnsupportedError,
    ValueArgumentError,
    array_from,
    array_of,
    as_axes,
    as_axis,
    as_index,
    as_shape,
    bind,
    broadcast_to_shape,
    coerce,
    common_shape,
    converted,
    filled,
    host_elements,
    ops,
    promote_operands,
    remember,
    shape_of,
)
from treadle_numpy.creation import arange, lower_mask
from treadle_numpy.dtypes import DTypeLike, ScalarType, as_dtype, named_dtype
from treadle_numpy.indexing import take
from treadle_numpy.reductions import cumsum, max as greatest, min as least, sum as total_of


def _array(function: str, x: object, position: int = 0) -> Array:
    return array_of(coerce(function, position, x))


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The size of each axis."""
    return a.shape if isinstance(a, (Array, np.ndarray)) else np.shape(cast("Any", a))


def ndim(a: ArrayLike) -> int:
    """The number of axes."""
    return len(shape(a))


def size(a: ArrayLike, axis: int | Sequence[int] | None = None) -> int:
    """The number of elements, or along some axes."""
    sizes = shape(a)
    count = 1
    for i in as_axes("size", axis, len(sizes)):
        count *= sizes[i]
    return count


def wanted_shape(function: str, total: int, old: tuple[int, ...], new: Any) -> tuple[int, ...]:
    """The shape that a reshape asks for, with a -1 worked out.

    Raises:
        ShapeError: the elements do not fill it.
    """
    if isinstance(new, int):
        new = (new,)
    sizes = [as_index(function, "a size", n) for n in new]
    unknown = [i for i, n in enumerate(sizes) if n == -1]
    count = 1
    for n in sizes:
        if n != -1:
            count *= n
    if len(unknown) == 1 and count and total % count == 0:
        sizes[unknown[0]] = total // count
        count = total
    if unknown[1:]:
        raise ShapeError(
            f"cannot reshape array of shape {old} into shape {tuple(sizes)}: only one size may be -1",
            fix="write the other sizes out",
        )
    if count != total or any(n < 0 for n in sizes):
        raise ShapeError(
            f"cannot reshape array of shape {old} (size {total}) into shape {tuple(sizes)} (size {count})",
            fix="the sizes must multiply to the number of elements; one of them may be -1 to be worked out",
        )
    return tuple(sizes)


_RESHAPES: Final[Plans] = {}
_TRANSPOSES: Final[Plans] = {}
_CONVERSIONS: Final[Plans] = {}
_CONCATENATIONS: Final[Plans] = {}


def _static_axes(a: Any, numbers: Any) -> Any:
    """The type of an array and a tuple of ints, to look a plan up by; None for anything else."""
    if numbers.__class__ is not tuple:
        if numbers.__class__ is not int:
            return None
    else:
        for n in numbers:
            if n.__class__ is not int:
                return None
    try:
        return a.type, numbers
    except AttributeError:
        return None


def reshape(a: ArrayLike, shape: Shape, order: str = "C", *, copy: bool | None = None) -> Array:
    """The same elements, in row-major order (column-major with `order="F"`), in another shape.

    Raises:
        ShapeError: the sizes do not go with the number of elements.
        ValueArgumentError: another order.

    Example:
        >>> print(reshape(np.arange(4), (2, -1)))
        [[0 1]
         [2 3]]
    """
    key = None
    if order == "C":
        key = _static_axes(a, shape)
        if key is not None:
            primitive = _RESHAPES.get(key)
            if primitive is not None:
                found: Array = current_trace().process(primitive, (a,))[0]  # type: ignore[arg-type, assignment]
                return found
    x = _array("reshape", a)
    own = x.shape
    sizes = wanted_shape("reshape", x.size, own, shape)
    if key is not None and own != sizes:
        remember(_RESHAPES, key, Reshape(sizes))
    if order == "F":
        turned = ops.reshape(transpose(x), shape=sizes[::-1])
        return transpose(turned)
    if order not in ("C", "A"):
        raise ValueArgumentError(f"reshape: order must be 'C' or 'F', got {order!r}")
    return x if own == sizes else ops.reshape(x, shape=sizes)


def ravel(a: ArrayLike, order: str = "C") -> Array:
    """The elements in one axis."""
    return reshape(a, (-1,) if size(a) else (0,), "C" if order == "K" else order)


def squeeze(a: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """The array without its axes of size 1, or without some of them.

    Raises:
        ShapeValueError: an axis has not size 1.
    """
    x = _array("squeeze", a)
    if axis is None:
        drop = tuple([i for i, n in enumerate(x.shape) if n == 1])
    else:
        drop = as_axes("squeeze", axis, x.ndim)
        if any(x.shape[i] != 1 for i in drop):
            raise ShapeValueError(
                f"squeeze: axes {drop} of shape {x.shape} are not all of size 1",
                fix="take one element with `x[0]`, reduce over the axis, or leave `axis` out",
            )
    return (
        ops.reshape(x, shape=tuple([n for i, n in enumerate(x.shape) if i not in drop]))
        if drop
        else x
    )


class ShapeValueError(ShapeError, ValueError):
    """Shapes that do not go together, where Python users expect a `ValueError`."""


def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> Array:
    """The array with axes of size 1 put in.

    Example:
        >>> print(expand_dims(np.arange(2), 0).shape)
        (1, 2)
    """
    x = _array("expand_dims", a)
    names = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    ndim = x.ndim + len(names)
    places = as_axes("expand_dims", names, ndim)
    rest = iter(x.shape)
    return ops.reshape(x, shape=tuple([1 if i in places else next(rest) for i in range(ndim)]))


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """The axes in another order; reversed by default.

    Raises:
        ShapeValueError, DuplicateError: the axes do not name each axis once.

    Example:
        >>> print(transpose(np.ones((2, 3), np.float32)).shape)
        (3, 2)
    """
    try:
        key = (a.type, None) if axes is None else _static_axes(a, axes)  # type: ignore[union-attr]
    except AttributeError:
        key = None
    if key is not None:
        primitive = _TRANSPOSES.get(key)
        if primitive is not None:
            found: Array = current_trace().process(primitive, (a,))[0]  # type: ignore[arg-type, assignment]
            return found
    x = _array("transpose", a)
    ndim = x.ndim
    if axes is None:
        order = tuple(range(ndim - 1, -1, -1))
    else:
        order = as_axes("transpose", tuple(axes), ndim)
        if len(order) != ndim:
            raise ShapeValueError(
                f"transpose: axes {tuple(axes)} do not name each axis of shape {x.shape} once"
            )
    if order == tuple(range(ndim)):
        return x
    primitive = Transpose(order)
    if key is not None:
        remember(_TRANSPOSES, key, primitive)
    return bind(primitive, x)


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two axes exchanged.

    Raises:
        ShapeValueError: there are fewer than two axes.
    """
    operand = _array("matrix_transpose", x)
    if operand.ndim < 2:
        raise ShapeValueError(
            f"matrix_transpose: the array has shape {operand.shape}, but needs at least two axes"
        )
    return swapaxes(operand, -1, -2)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Array:
    """Two axes exchanged."""
    x = _array("swapaxes", a)
    i, j = as_axis("swapaxes", axis1, x.ndim), as_axis("swapaxes", axis2, x.ndim)
    order = list(range(x.ndim))
    order[i], order[j] = j, i
    return transpose(x, order)


def moveaxis(a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Some axes moved to other places; the others keep their order.

    Raises:
        ValueArgumentError: there are more axes than places, or fewer.

    Example:
        >>> print(moveaxis(np.ones((2, 3, 4), np.float32), 0, -1).shape)
        (3, 4, 2)
    """
    x = _array("moveaxis", a)
    here, there = as_axes("moveaxis", source, x.ndim), as_axes("moveaxis", destination, x.ndim)
    if len(here) != len(there):
        raise ValueArgumentError(f"moveaxis: {len(here)} source axes and {len(there)} destinations")
    order = [i for i in range(x.ndim) if i not in here]
    for to, of in sorted(zip(there, here, strict=True)):
        order.insert(to, of)
    return transpose(x, order)


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Array:
    """An axis moved to before another one."""
    x = _array("rollaxis", a)
    i = as_axis("rollaxis", axis, x.ndim)
    place = start + x.ndim if start < 0 else start
    return moveaxis(x, i, place - 1 if i < place else place)


def broadcast_to(array: ArrayLike, shape: Shape) -> Array:
    """The array spread over a shape.

    Raises:
        ShapeValueError: an axis has neither size 1 nor the size that is asked for.

    Example:
        >>> print(broadcast_to(np.arange(2), (2, 2)))
        [[0 1]
         [0 1]]
    """
    x = coerce("broadcast_to", 0, array)
    sizes = as_shape("broadcast_to", shape)
    own = shape_of(x)
    if len(own) > len(sizes) or any(
        n not in (1, m) for n, m in zip(own[::-1], sizes[::-1], strict=False)
    ):
        raise ShapeValueError(
            f"Incompatible shapes for broadcasting: {own} and requested shape {sizes}",
            fix="sizes of an axis, counted from the last one, must be equal or 1",
        )
    return array_of(broadcast_to_shape(array_of(x), sizes))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that shapes broadcast to."""
    return common_shape("broadcast_shapes", [as_shape("broadcast_shapes", each) for each in shapes])


def broadcast_arrays(*args: ArrayLike) -> tuple[Array, ...]:
    """The arrays, all spread over the shape that they broadcast to."""
    operands = [_array("broadcast_arrays", x, i) for i, x in enumerate(args)]
    sizes = common_shape("broadcast_arrays", [x.shape for x in operands])
    return tuple([broadcast_to(x, sizes) for x in operands])


def atleast_1d(*arys: ArrayLike) -> Any:
    """The arrays, with an axis if they have none."""
    results = [
        x if x.ndim else ops.reshape(x, shape=(1,)) for x in [_array("atleast_1d", a) for a in arys]
    ]
    return results[0] if len(results) == 1 else tuple(results)


def atleast_2d(*arys: ArrayLike) -> Any:
    """The arrays, with leading axes of size 1 up to two axes."""
    results = [
        x if x.ndim > 1 else ops.reshape(x, shape=(1, x.size))
        for x in [_array("atleast_2d", a) for a in arys]
    ]
    return results[0] if len(results) == 1 else tuple(results)


def atleast_3d(*arys: ArrayLike) -> Any:
    """The arrays, with axes of size 1 around theirs up to three axes."""
    results = []
    for a in arys:
        x = _array("atleast_3d", a)
        if x.ndim < 2:
            x = ops.reshape(x, shape=(1, x.size, 1))
        elif x.ndim == 2:
            x = ops.reshape(x, shape=(*x.shape, 1))
        results.append(x)
    return results[0] if len(results) == 1 else tuple(results)


def _operands(function: str, arrays: Any) -> list[Any]:
    if isinstance(arrays, (Array, np.ndarray)):
        arrays = unstack(arrays)
    operands = [coerce(function, i, x) for i, x in enumerate(arrays)]
    if not operands:
        raise ValueArgumentError(
            "Need at least one array to concatenate.",
            fix="pass a list with an array in it; the empty array is `zeros(0)`",
        )
    return operands


def concatenate(arrays: Any, axis: int | None = 0, dtype: DTypeLike | None = None) -> Array:
    """Arrays one after the other along an axis; flattened if `axis` is None.

    Raises:
        ShapeValueError: the arrays have no axes, or differ along another axis.

    Example:
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
    operands = _operands("concatenate", arrays)
    if axis is None:
        operands = [ravel(x) for x in operands]
        axis = 0
    if shape_of(operands[0]) == ():
        raise ShapeValueError(
            "Zero-dimensional arrays cannot be concatenated.",
            fix="use stack for numbers; arrays go in one list: `concatenate([a, b])`",
        )
    place = as_axis("concatenate", axis, len(shape_of(operands[0])))
    first = shape_of(operands[0])
    for i, x in enumerate(operands):
        own = shape_of(x)
        if len(own) != len(first) or any(
            n != m for j, (n, m) in enumerate(zip(own, first, strict=True)) if j != place
        ):
            raise ShapeValueError(
                f"concatenate: operand {i} has shape {own} and operand 0 has {first}, which may differ in axis "
                f"{place} only",
                fix="reshape or pad them, or concatenate along another axis",
            )
    given = operands
    operands = _common(operands, as_dtype("concatenate", dtype))
    if len(operands) == 1:
        return array_of(operands[0])
    primitive = Concatenate(place)
    if key is not None and all(x is y for x, y in zip(given, operands, strict=True)):
        remember(_CONCATENATIONS, key, primitive)
    return bind(primitive, *operands)


def _common(operands: list[Any], dtype: Any) -> list[Any]:
    return promote_operands(operands) if dtype is None else [converted(x, dtype) for x in operands]


def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> Array:
    """`concatenate` under the array API's name."""
    return concatenate(arrays, axis)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Array:
    """`values` after `arr` along an axis; both flattened by default."""
    return concatenate([arr, values], axis)


def stack(arrays: Any, axis: int = 0, out: None = None, dtype: DTypeLike | None = None) -> Array:
    """Arrays of one shape along a new axis.

    Raises:
        ShapeValueError: the arrays have different shapes.

    Example:
        >>> print(stack([np.arange(2), np.arange(2)], axis=1))
        [[0 0]
         [1 1]]
    """
    operands = _operands("stack", arrays)
    own = shape_of(operands[0])
    if any(shape_of(x) != own for x in operands):
        listed = ", ".join(str(shape_of(x)) for x in operands)
        raise ShapeValueError(
            f"All input arrays must have the same shape. Got {listed}.",
            fix="pad or broadcast them to one shape, or use concatenate",
        )
    place = as_axis("stack", axis, len(own) + 1)
    sizes = (*own[:place], 1, *own[place:])
    operands = [
        ops.reshape(array_of(x), shape=sizes) for x in _common(operands, as_dtype("stack", dtype))
    ]
    return operands[0] if len(operands) == 1 else ops.concatenate(operands, dimension=place)


def vstack(tup: Any, dtype: DTypeLike | None = None) -> Array:
    """Arrays one below the other."""
    return concatenate([atleast_2d(x) for x in _operands("vstack", tup)], 0, dtype)


def hstack(tup: Any, dtype: DTypeLike | None = None) -> Array:
    """Arrays one beside the other: along the second axis, vectors along their only one."""
    operands = [atleast_1d(x) for x in _operands("hstack", tup)]
    return concatenate(operands, 0 if operands[0].ndim == 1 else 1, dtype)


def dstack(tup: Any, dtype: DTypeLike | None = None) -> Array:
    """Arrays one behind the other: along the third axis."""
    return concatenate([atleast_3d(x) for x in _operands("dstack", tup)], 2, dtype)


def column_stack(tup: Any) -> Array:
    """Vectors as the columns of a matrix."""
    operands = [array_of(x) for x in _operands("column_stack", tup)]
    return concatenate([transpose(atleast_2d(x)) if x.ndim < 2 else x for x in operands], 1)


def slice_along(x: Array, axis: int, start: int, limit: int) -> Array:
    """The elements from `start` below `limit` along one axis."""
    own = x.shape
    low, high = [0] * len(own), list(own)
    low[axis], high[axis] = start, limit
    return ops.slice(x, start=tuple(low), limit=tuple(high), strides=(1,) * len(own))


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts at each position of an axis, without it.

    Raises:
        ShapeValueError: the array has no axes.
    """
    operand = _array("unstack", x)
    if operand.ndim == 0:
        raise ShapeValueError(
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


def _split(function: str, ary: ArrayLike, sections: Any, axis: int, even: bool) -> list[Array]:
    x = _array(function, ary)
    place = as_axis(function, axis, x.ndim)
    length = x.shape[place]
    if isinstance(sections, (tuple, list)) or np.ndim(cast("Any", sections)):
        elements = (
            host_elements(sections)
            if not isinstance(sections, (tuple, list))
            else np.asarray(sections)
        )
        assert elements is not None
        points = [int(i) + length if i < 0 else int(i) for i in elements]
        bounds = [0, *[min(max(p, 0), length) for p in points], length]
    else:
        count = as_index(function, "the number of sections", sections)
        if count <= 0:
            raise ValueArgumentError(
                f"{function}: the number of sections must be positive, got {count}"
            )
        if even and length % count:
            raise ValueArgumentError(
                "array split does not result in an equal division",
                fix="use array_split, or give the split points",
            )
        step, extra = divmod(length, count)
        bounds = [i * step + min(i, extra) for i in range(count + 1)]
    return [slice_along(x, place, low, max(low, high)) for low, high in pairwise(bounds)]


def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """The array cut into equal parts, or at some positions, along an axis.

    Example:
        >>> [print(part) for part in split(np.arange(4), 2)]
        [0 1]
        [2 3]
        [None, None]
    """
    return _split("split", ary, indices_or_sections, axis, True)


def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """The array cut into nearly equal parts, or at some positions, along an axis."""
    return _split("array_split", ary, indices_or_sections, axis, False)


def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the first axis."""
    return _split("vsplit", ary, indices_or_sections, 0, True)


def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the second axis; of a vector along its only one."""
    return _split("hsplit", ary, indices_or_sections, 0 if ndim(ary) == 1 else 1, True)


def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the third axis."""
    return _split("dsplit", ary, indices_or_sections, 2, True)


def flip(m: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """The elements in the opposite order along some axes (all, by default)."""
    x = _array("flip", m)
    axes = as_axes("flip", axis, x.ndim)
    return ops.reverse(x, dimensions=axes) if axes else x


def fliplr(m: ArrayLike) -> Array:
    """The columns in the opposite order."""
    return flip(m, 1)


def flipud(m: ArrayLike) -> Array:
    """The rows in the opposite order."""
    return flip(m, 0)


def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Turned by `k` quarters, from the first axis towards the second."""
    x = _array("rot90", m)
    first, second = as_axes("rot90", tuple(axes), x.ndim)
    turns = k % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(x, (first, second))
    return (
        flip(swapaxes(x, first, second), first)
        if turns == 1
        else swapaxes(flip(x, first), first, second)
    )


def roll(a: ArrayLike, shift: Any, axis: int | Sequence[int] | None = None) -> Array:
    """The elements moved along some axes; what leaves at one end enters at the other.

    Raises:
        ValueArgumentError: there are more shifts than axes, or fewer.

    Example:
        >>> print(roll(np.arange(4), 1))
        [3 0 1 2]
    """
    x = _array("roll", a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    axes = [
        as_axis("roll", i, x.ndim) for i in (axis if isinstance(axis, (tuple, list)) else (axis,))
    ]
    shifts = list(shift) if isinstance(shift, (tuple, list)) else [shift]
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(axes) == 1:
        axes *= len(shifts)
    if len(axes) != len(shifts):
        raise ValueArgumentError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for along, by in zip(axes, shifts, strict=True):
        length = x.shape[along]
        if not length:
            continue
        elements = host_elements(by)
        if elements is None:  # the shift is known only when the program runs: cut from two copies
            whole = default_dtype(int)
            start = ops.remainder(ops.convert(by, dtype=whole), whole.type(length))
            start = ops.remainder(ops.subtract(whole.type(2 * length), start), whole.type(length))
            zero = whole.type(0)
            starts = [start if i == along else zero for i in range(x.ndim)]
            x = ops.dynamic_slice(ops.concatenate([x, x], dimension=along), *starts, sizes=x.shape)
            continue
        cut = -int(elements) % length
        if cut:
            x = ops.concatenate(
                [slice_along(x, along, cut, length), slice_along(x, along, 0, cut)], dimension=along
            )
    return x


def tile(A: ArrayLike, reps: Any) -> Array:  # noqa: N803
    """The array repeated as a whole along each axis.

    Example:
        >>> print(tile(np.arange(2), 2))
        [0 1 0 1]
    """
    x = _array("tile", A)
    counts = as_shape("tile", reps)
    counts = (1,) * (x.ndim - len(counts)) + counts
    own = (1,) * (len(counts) - x.ndim) + x.shape
    apart = tuple([n for pair in zip(counts, own, strict=True) for n in pair])
    places = tuple([2 * i + 1 for i in range(len(own))])
    spread = ops.broadcast_in_dim(ops.reshape(x, shape=own), shape=apart, dimensions=places)
    return ops.reshape(spread, shape=tuple([c * n for c, n in zip(counts, own, strict=True)]))


def repeat(
    a: ArrayLike, repeats: Any, axis: int | None = None, *, total_repeat_length: int | None = None
) -> Array:
    """Each element repeated along an axis; of the flat array by default.

    Constraints:
        `repeats` must be known to Python, unless `total_repeat_length` says how long the result is.

    Example:
        >>> print(repeat(np.arange(2), 2))
        [0 0 1 1]
    """
    x = _array("repeat", a)
    if axis is None:
        x, axis = ravel(x), 0
    along = as_axis("repeat", axis, x.ndim)
    length = x.shape[along]
    elements = host_elements(coerce("repeat", 1, repeats))
    if elements is None:
        if total_repeat_length is None:
            as_index(
                "repeat", "repeats (without total_repeat_length)", repeats
            )  # the tracer's own error
        whole = default_dtype(int)
        counts = broadcast_to(converted(repeats, whole), (length,))
        ends = cumsum(counts)
        total = as_index("repeat", "total_repeat_length", total_repeat_length)
        places = ops.broadcast_in_dim(
            arange(total, dtype=whole), shape=(total, length), dimensions=(0,)
        )
        passed = ops.compare(
            ops.broadcast_in_dim(ends, shape=(total, length), dimensions=(1,)),
            places,
            direction="le",
        )
        return take(
            x, ops.reduce_add(ops.convert(passed, dtype=whole), axes=(1,)), along, mode="clip"
        )
    if elements.size == 1 and total_repeat_length is None:
        count = int(elements.reshape(()))
        spread = (*x.shape[: along + 1], count, *x.shape[along + 1 :])
        others = tuple([i for i in range(x.ndim + 1) if i != along + 1])
        wide = ops.broadcast_in_dim(x, shape=spread, dimensions=others)
        return ops.reshape(wide, shape=(*x.shape[:along], length * count, *x.shape[along + 1 :]))
    positions = np.repeat(np.arange(length), np.broadcast_to(elements, (length,)))
    if total_repeat_length is not None:
        positions = positions[:total_repeat_length]
        missing = total_repeat_length - len(positions)
        positions = np.concatenate(
            [positions, np.full(missing, positions[-1] if len(positions) else 0)]
        )
    return take(x, positions.astype(np.int32), along, mode="clip")


def resize(a: ArrayLike, new_shape: Shape) -> Array:
    """The elements, repeated as often as it takes, in another shape."""
    sizes = as_shape("resize", new_shape)
    total = 1
    for n in sizes:
        total *= n
    flat = ravel(a)
    if flat.size == 0 or total == 0:
        return filled(sizes, flat.dtype.type(0))
    return ops.reshape(slice_along(tile(flat, -(-total // flat.size)), 0, 0, total), shape=sizes)


_NAMES_OF_TYPES: Final = frozenset([str, type, ScalarType])


def _is_cut(dtype: Any, wanted: DType) -> bool:
    """Whether 64 bits were asked for and are not given: each such call warns, so none may be remembered."""
    return dtype not in (bool, int, float, complex) and named_dtype("astype", dtype) != wanted


def astype(
    x: ArrayLike, dtype: DTypeLike | None, /, *, copy: bool = False, device: Any = None
) -> Array:
    """The same numbers in another element type; None means the default float type.

    Example:
        >>> print(astype(np.array([1.7, -1.7], np.float32), int))
        [ 1 -1]
    """
    key = None
    if dtype.__class__ in _NAMES_OF_TYPES or isinstance(dtype, np.dtype):
        try:
            key = x.type, dtype, x64_enabled()  # type: ignore[union-attr]
        except AttributeError:
            pass
        else:
            primitive = _CONVERSIONS.get(key)
            if primitive is not None:
                found: Array = current_trace().process(primitive, (x,))[0]  # type: ignore[arg-type, assignment]
                return found
    operand = coerce("astype", 0, x)
    wanted = as_dtype("astype", float if dtype is None else dtype)
    assert wanted is not None
    if key is not None and key[0].dtype != wanted and not _is_cut(dtype, wanted):
        remember(_CONVERSIONS, key, Convert(wanted))
    result = array_of(converted(operand, wanted))
    return ops.copy(result) if copy and result is x else result


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The elements of the diagonals of the matrices in two axes, along a new last axis.

    Raises:
        ShapeValueError: there are fewer than two axes.

    Example:
        >>> print(diagonal(np.arange(4).reshape(2, 2)))
        [0 3]
    """
    x = _array("diagonal", a)
    if x.ndim < 2:
        raise ShapeValueError(
            f"diagonal: the array has shape {x.shape}, but needs at least two axes"
        )
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    first_row, first_column = max(-offset, 0), max(offset, 0)
    count = max(0, min(rows - first_row, columns - first_column))
    if not count:
        return filled((*x.shape[:-2], 0), x.dtype.type(0))
    block = slice_along(
        slice_along(x, x.ndim - 2, first_row, first_row + count),
        x.ndim - 1,
        first_column,
        first_column + count,
    )
    # In a row-major count x count block the diagonal is every (count + 1)-th element.
    flat = ops.reshape(block, shape=(*x.shape[:-2], count * count))
    ndim = flat.ndim
    return ops.slice(
        flat, start=(0,) * ndim, limit=flat.shape, strides=(1,) * (ndim - 1) + (count + 1,)
    )


def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: None = None,
) -> Array:
    """The sum of a matrix' diagonal."""
    return total_of(diagonal(a, offset, axis1, axis2), -1, dtype)


def diag(v: ArrayLike, k: int = 0) -> Array:
    """A matrix with a vector on its diagonal; of a matrix, its diagonal.

    Raises:
        ShapeValueError: there are more than two axes, or none.
    """
    x = _array("diag", v)
    if x.ndim == 1:
        return diagflat(x, k)
    if x.ndim == 2:
        return diagonal(x, k)
    raise ShapeValueError("diag input must be 1d or 2d")


def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """A matrix with the elements on its diagonal."""
    x = ravel(v)
    count = x.size
    side = count + builtin_abs(k)
    # n elements, each followed by n + 1 zeros, are a diagonal in row-major order.
    flat = ops.pad(x, x.dtype.type(0), low=(0,), high=(count if count else 0,), interior=(count,))
    block = (
        ops.reshape(slice_along(flat, 0, 0, count * count), shape=(count, count))
        if count
        else filled((0, 0), x.dtype.type(0))
    )
    if not k:
        return block
    return ops.pad(
        block,
        x.dtype.type(0),
        low=(max(-k, 0), max(k, 0)),
        high=(side - count - max(-k, 0), side - count - max(k, 0)),
    )


def builtin_abs(k: int) -> int:
    """The absolute value of a Python integer."""
    return -k if k < 0 else k


def tril(m: ArrayLike, k: int = 0) -> Array:
    """The matrix with zeros above a diagonal."""
    return _triangle("tril", m, k, True)


def triu(m: ArrayLike, k: int = 0) -> Array:
    """The matrix with zeros below a diagonal."""
    return _triangle("triu", m, k, False)


def _triangle(name: str, m: ArrayLike, k: int, lower: bool) -> Array:
    x = _array(name, m)
    if x.ndim < 2:
        raise ShapeValueError(f"Argument to {name} must be at least 2D, but its shape is {x.shape}")
    mask = broadcast_to_shape(lower_mask(x.shape[-2], x.shape[-1], k if lower else k - 1), x.shape)
    zero = x.dtype.type(0)
    return ops.select(mask, x, zero) if lower else ops.select(mask, zero, x)


def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Array:
    """The array with elements put around it.

    Modes: 'constant' (`constant_values`), 'edge', 'reflect', 'symmetric', 'wrap', 'empty', and the statistics
    'maximum', 'minimum', 'mean' of whole axes.

    Raises:
        ValueArgumentError: a width is negative.
        UnsupportedError: a mode that is not there.

    Example:
        >>> print(pad(np.arange(2), 1))
        [0 0 1 0]
    """
    x = _array("pad", array)
    if not x.ndim:
        return x
    widths = _pad_pairs("pad_width", pad_width, x.ndim)
    widths = [
        (as_index("pad", "pad_width", low), as_index("pad", "pad_width", high))
        for low, high in widths
    ]
    if any(n < 0 for pair in widths for n in pair):
        raise ValueArgumentError("pad: index can't contain negative values")
    if mode in ("constant", "empty"):
        values = kwargs.pop("constant_values", 0)
        _no_more("pad", kwargs)
        if ndim_of(values) == 0:
            value = converted(coerce("pad", 3, values), x.dtype)
            return ops.pad(
                x, value, low=[low for low, _ in widths], high=[high for _, high in widths]
            )
        pairs = _pad_pairs("constant_values", values, x.ndim)
        for axis, ((low, high), (before, after)) in enumerate(zip(widths, pairs, strict=True)):
            for n, value, first in ((low, before, True), (high, after, False)):
                sizes = [0] * x.ndim
                sizes[axis] = n
                none = [0] * x.ndim
                scalar = converted(coerce("pad", 3, value), x.dtype)
                x = ops.pad(x, scalar, low=sizes if first else none, high=none if first else sizes)
        return x
    if callable(mode):
        raise UnsupportedError(
            "pad: functions as mode are not supported", fix="pad with constants, then write into it"
        )
    reflect = kwargs.pop("reflect_type", "even")
    kwargs.pop("stat_length", None) if kwargs.get("stat_length") is None else None
    _no_more("pad", kwargs)
    if mode in ("maximum", "minimum", "mean"):
        for axis, (low, high) in enumerate(widths):
            x = _pad_statistic(x, axis, low, high, mode)
        return x
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise UnsupportedError(
            f"pad: mode {mode!r} is not supported", fix="see the modes in its documentation"
        )
    if reflect != "even":
        raise UnsupportedError("pad: reflect_type='odd' is not supported")
    for axis, (low, high) in enumerate(widths):
        if low or high:
            positions = np.pad(np.arange(x.shape[axis]), (low, high), mode=cast("Any", mode))
            x = take(x, positions.astype(np.int32), axis, mode="clip")
    return x


def _pad_statistic(x: Array, axis: int, low: int, high: int, mode: str) -> Array:
    if mode == "mean":
        total = ops.divide(
            total_of(x, axis, default_dtype(float), keepdims=True),
            default_dtype(float).type(x.shape[axis]),
        )
        value = converted(total if is_inexact(x.dtype) else ops.round_nearest_even(total), x.dtype)
    else:
        value = (greatest if mode == "maximum" else least)(x, axis, keepdims=True)
    parts = [repeat(value, low, axis), x, repeat(value, high, axis)]
    return concatenate(parts, axis)


def ndim_of(x: Any) -> int:
    """The number of axes of a value or of nested sequences."""
    return len(shape_of(x)) if isinstance(x, Array) else np.ndim(x)


def _no_more(function: str, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise ValueArgumentError(
            f"{function}: unsupported keyword arguments {sorted(kwargs)} for this mode"
        )


def _pad_pairs(name: str, value: Any, count: int) -> list[tuple[Any, Any]]:
    """A (before, after) pair for each axis, from a number, a pair, or a pair for each axis."""
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = [(0, 0)] * count
        for axis, pair in value.items():
            pairs[as_axis("pad", axis, count)] = (
                (pair[0], pair[-1]) if isinstance(pair, (tuple, list)) else (pair, pair)
            )
        return pairs
    if isinstance(value, (np.ndarray, Array)):
        elements = host_elements(value)
        value = value if elements is None else elements.tolist()
    if not isinstance(value, (tuple, list)):
        return [(value, value)] * count
    items = list(value)
    nested = [list(i) if isinstance(i, (tuple, list, np.ndarray)) else i for i in items]
    if not any(isinstance(i, list) for i in nested):
        if len(nested) == 1:
            return [(nested[0], nested[0])] * count
        if len(nested) == 2:
            return [(nested[0], nested[1])] * count
    elif all(isinstance(i, list) for i in nested):
        each = [(i[0], i[-1]) for i in nested if len(i) in (1, 2)]
        if len(each) == len(nested) and len(each) in (1, count):
            return each * count if len(each) == 1 else each
    raise ValueArgumentError(
        f"pad: {name} must be a number, a pair, or a pair for each of {count} axes, got {value!r}"
    )


def block(arrays: Any) -> Array:
    """An array put together from nested lists of blocks: innermost lists along the last axis."""
    depth = 0
    level = arrays
    while isinstance(level, list):
        depth += 1
        level = level[0]
    leaves = _block_leaves(arrays)
    rank = max([depth, *[ndim_of(leaf) for leaf in leaves]])

    def build(x: Any, level: int) -> Array:
        if isinstance(x, list):
            return concatenate([build(each, level + 1) for each in x], level - depth)
        operand = _array("block", x)
        return ops.reshape(operand, shape=(1,) * (rank - operand.ndim) + operand.shape)

    return build(arrays, 0)


def _block_leaves(arrays: Any) -> list[Any]:
    if not isinstance(arrays, list):
        return [arrays]
    return [leaf for each in arrays for leaf in _block_leaves(each)]


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any
) -> Array:
    """A function of vectors applied to each vector along an axis."""
    x = moveaxis(_array("apply_along_axis", arr, 2), axis, -1)
    outer = x.shape[:-1]
    flat = ops.reshape(x, shape=(size_of(outer), x.shape[-1]))
    results = [func1d(row, *args, **kwargs) for row in unstack(flat)]
    joined = stack([array_from("apply_along_axis", r, None) for r in results])
    inner = joined.shape[1:]
    joined = ops.reshape(joined, shape=(*outer, *inner))
    place = as_axis("apply_along_axis", axis, len(outer) + 1)
    return (
        moveaxis(
            joined, tuple(range(len(outer), joined.ndim)), tuple(range(place, place + len(inner)))
        )
        if inner
        else joined
    )


def size_of(shape: tuple[int, ...]) -> int:
    """The number of elements of a shape."""
    total = 1
    for n in shape:
        total *= n
    return total


def apply_over_axes(func: Callable[[Any, int], Any], a: ArrayLike, axes: Sequence[int]) -> Array:
    """A reduction applied along one axis after the other, keeping the axes."""
    x = _array("apply_over_axes", a, 1)
    for axis in axes:
        place = as_axis("apply_over_axes", axis, x.ndim)
        result = func(x, place)
        x = result if result.ndim == x.ndim else expand_dims(result, place)
    return x

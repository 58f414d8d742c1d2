"""New arrays: from host data, from a value, from a rule.

Where nothing transforms what runs, they are made by NumPy at once; under a trace they are instructions
(`iota`, `broadcast_in_dim`), so that programs hold no arrays.

Long because half of it is signatures and examples of two dozen functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    DType,
    DTypeError,
    Tracer,
    canonical_dtype,
    default_dtype,
)
from treadle_ir.dtypes import is_bool, is_floating, is_integer
from treadle_numpy.coercion import (
    ArrayLike,
    Shape,
    ValueArgumentError,
    array_from,
    array_of,
    as_axis,
    as_index,
    as_shape,
    broadcast,
    broadcast_to_shape,
    coerce,
    converted,
    filled,
    host_elements,
    is_array_like,
    made,
    on_host,
    operand_type,
    ops,
    promote,
    promote_operands,
    refuse_complex,
    shape_of,
    weak_scalar,
)
from treadle_numpy.dtypes import DTypeLike, as_dtype, result_type
from treadle_numpy.elementwise import divide, exp, log, multiply, power, sign


def array(
    object: Any,
    dtype: DTypeLike | None = None,
    *,
    copy: bool = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: Any = None,
) -> Array:
    """An array from an array, a scalar, or nested sequences of them.

    Differs from NumPy: 32-bit types by default, and a Python scalar alone gives a weakly typed array.

    Raises:
        ArgumentError: another order than row-major, or an element is not a number.

    Example:
        >>> print(array([1, 2.5]))
        [1.  2.5]
    """
    if order not in (None, "K", "C", "A"):
        raise ArgumentError(
            f"array: order is {order!r}, but arrays are row-major", fix="leave `order` out"
        )
    result = array_from("array", object, as_dtype("array", dtype))
    if result.ndim < ndmin:
        result = ops.reshape(result, shape=(1,) * (ndmin - result.ndim) + result.shape)
    return _placed(result, device)


def asarray(
    a: Any,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    device: Any = None,
) -> Array:
    """An array from an array, a scalar, or nested sequences of them; arrays come back as they are.

    Example:
        >>> print(asarray((True, False)))
        [ True False]
    """
    return _placed(array_from("asarray", a, as_dtype("asarray", dtype)), device)


def _placed(x: Array, device: Any) -> Array:
    if device is None:
        return x
    return cast("Array", x.to_device(device))


def copy(a: ArrayLike, order: str | None = None) -> Array:
    """An array with the same elements in a buffer of its own."""
    return ops.copy(array_from("copy", a, None))


def _fill(function: str, shape: Shape, value: Any, dtype: DTypeLike | None, device: Any) -> Array:
    sizes = as_shape(function, shape)
    wanted = as_dtype(function, dtype) or default_dtype(float)
    return _placed(filled(sizes, wanted.type(value)), device)


def zeros(shape: Shape, dtype: DTypeLike | None = None, *, device: Any = None) -> Array:
    """An array of zeros.

    Example:
        >>> print(zeros(3))
        [0. 0. 0.]
    """
    return _fill("zeros", shape, 0, dtype, device)


def ones(shape: Shape, dtype: DTypeLike | None = None, *, device: Any = None) -> Array:
    """An array of ones.

    Example:
        >>> print(ones((2, 2), int))
        [[1 1]
         [1 1]]
    """
    return _fill("ones", shape, 1, dtype, device)


def empty(shape: Shape, dtype: DTypeLike | None = None, *, device: Any = None) -> Array:
    """An array of zeros: elements are never left undefined."""
    return _fill("empty", shape, 0, dtype, device)


def full(
    shape: Shape, fill_value: ArrayLike, dtype: DTypeLike | None = None, *, device: Any = None
) -> Array:
    """An array of one value, or of a value broadcast to the shape.

    Example:
        >>> print(full(2, 7))
        [7 7]
    """
    sizes = as_shape("full", shape)
    return _placed(_full("full", sizes, fill_value, as_dtype("full", dtype)), device)


def _full(function: str, sizes: tuple[int, ...], fill_value: Any, wanted: DType | None) -> Array:
    if isinstance(fill_value, (list, tuple)):
        fill_value = array_from(function, fill_value, None)
    value = coerce(function, 1, fill_value)
    if wanted is not None:
        if isinstance(fill_value, complex):
            refuse_complex(function, fill_value, wanted)
        value = converted(value, wanted)
    if shape_of(value):
        return array_of(broadcast_to_shape(value, sizes))
    if isinstance(value, np.ndarray):
        value = value[()]
    return filled(sizes, value)


def _like(
    function: str, a: Any, dtype: DTypeLike | None, shape: Shape | None
) -> tuple[tuple[int, ...], DType, bool]:
    """Shape and element type of a `..._like` function's result, and whether it is weak."""
    wanted = as_dtype(function, dtype)
    own = getattr(a, "shape", None)
    if own is not None and not is_array_like(a):  # a description of an array
        sizes, own_dtype, weak = (
            tuple(own),
            canonical_dtype(np.dtype(a.dtype)),
            bool(getattr(a, "weak_type", False)),
        )
    else:
        type = operand_type(coerce(function, 0, a))
        sizes, own_dtype, weak = type.shape, type.dtype, type.weak
    if shape is not None:
        sizes = as_shape(function, shape)
    return sizes, wanted or own_dtype, weak and wanted is None


def _filled_like(
    function: str, a: Any, value: Any, dtype: DTypeLike | None, shape: Shape | None, device: Any
) -> Array:
    sizes, wanted, weak = _like(function, a, dtype, shape)
    if weak and not is_bool(wanted):
        scalar = weak_scalar(wanted.type(value).item())
        if scalar.type.dtype == wanted:
            return _placed(filled(sizes, scalar), device)
    return _placed(filled(sizes, wanted.type(value)), device)


def zeros_like(
    a: Any, dtype: DTypeLike | None = None, shape: Shape | None = None, *, device: Any = None
) -> Array:
    """Zeros of an array's shape and element type.

    Example:
        >>> print(zeros_like(ones(2)))
        [0. 0.]
    """
    return _filled_like("zeros_like", a, 0, dtype, shape, device)


def ones_like(
    a: Any, dtype: DTypeLike | None = None, shape: Shape | None = None, *, device: Any = None
) -> Array:
    """Ones of an array's shape and element type."""
    return _filled_like("ones_like", a, 1, dtype, shape, device)


def empty_like(
    prototype: Any,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
) -> Array:
    """Zeros of an array's shape and element type."""
    return _filled_like("empty_like", prototype, 0, dtype, shape, device)


def full_like(
    a: Any,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
) -> Array:
    """One value in an array's shape and element type."""
    sizes, wanted, weak = _like("full_like", a, dtype, shape)
    result = _full("full_like", sizes, fill_value, wanted)
    return _placed(ops.convert(result, dtype=wanted, weak=True) if weak else result, device)


def _iota(shape: tuple[int, ...], dimension: int, dtype: DType) -> Array:
    return ops.iota(shape=shape, dimension=dimension, dtype=dtype)


def _number(function: str, value: Any) -> Any:
    """A Python or NumPy number that a range needs to know, also from a concrete array."""
    if value is None or (
        isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)
    ):
        return value
    if isinstance(value, Tracer):
        elements = value.concrete()
        return (
            as_index(function, "start, stop and step", value) if elements is None else elements[()]
        )
    if is_array_like(value):
        elements = host_elements(value)
        assert elements is not None
        if elements.shape:
            raise ValueArgumentError(
                f"{function}: start, stop and step must be scalars, got shape {elements.shape}"
            )
        return elements[()]
    return as_index(function, "start, stop and step", value)


def arange(
    start: Any,
    stop: Any = None,
    step: Any = None,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
) -> Array:
    """Numbers from `start` (0) up to but not including `stop`, `step` (1) apart.

    Raises:
        ValueArgumentError: the step is 0.

    Example:
        >>> print(arange(3), arange(1, 2, 0.5))
        [0 1 2] [1.  1.5]
    """
    named = [_number("arange", value) for value in (start, stop, step)]
    wanted = as_dtype("arange", dtype)
    if wanted is None:
        wanted = result_type(*[value for value in named if value is not None])
        if is_bool(wanted):
            raise DTypeError("arange: booleans cannot be counted", fix="convert with int(...)")
    if any(isinstance(value, (complex, np.complexfloating)) for value in named):
        raise ValueArgumentError(
            "arange: complex numbers cannot be counted", fix="count real numbers, and multiply"
        )
    first, last, by = named
    if last is None:
        first, last = 0, first
    by = 1 if by is None else by
    if by == 0:
        raise ValueArgumentError("arange: step must not be 0")
    count = max(0, math.ceil((last - first) / by))
    if on_host():
        if is_integer(wanted):
            elements = np.arange(first, last, by).astype(wanted)
        else:  # first + i * by in the element type, as the instructions below compute it
            elements = (
                np.arange(count).astype(wanted) * wanted.type(by) + wanted.type(first)
            ).astype(wanted)
        return _placed(made(elements), device)
    counted = _iota((count,), 0, wanted)
    if by != 1:
        counted = ops.multiply(counted, wanted.type(by))
    if first != 0:
        counted = ops.add(counted, wanted.type(first))
    return _placed(counted, device)


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`.

    Raises:
        ValueArgumentError: the number of samples is negative.

    Example:
        >>> print(linspace(0, 1, 3))
        [0.  0.5 1. ]
    """
    count = as_index("linspace", "num", num)
    if count < 0:
        raise ValueArgumentError(f"linspace: number of samples, {count}, must be non-negative")
    wanted = as_dtype("linspace", dtype)
    low, high = broadcast(
        "linspace",
        promote_operands([coerce("linspace", 0, start), coerce("linspace", 1, stop)], True),
    )
    working = operand_type(low).dtype
    low, high = converted(low, working), converted(high, working)
    shape = shape_of(low) or shape_of(high)
    low, high = broadcast_to_shape(low, shape), broadcast_to_shape(high, shape)
    divisions = count - 1 if endpoint else count
    step = (
        ops.divide(ops.subtract(high, low), working.type(divisions))
        if divisions > 0
        else filled(shape, working.type(np.nan))
    )
    if divisions > 0:
        share = ops.divide(_iota((divisions,), 0, working), working.type(divisions))
        full_shape = (divisions, *shape)
        part = ops.broadcast_in_dim(share, shape=full_shape, dimensions=(0,))
        spread = [
            ops.broadcast_in_dim(x, shape=full_shape, dimensions=tuple(range(1, len(full_shape))))
            for x in (low, high)
        ]
        one = working.type(1)
        points = ops.add(
            ops.multiply(spread[0], ops.subtract(one, part)), ops.multiply(spread[1], part)
        )
        if endpoint:
            points = ops.concatenate([points, ops.reshape(high, shape=(1, *shape))], dimension=0)
    else:
        points = (
            ops.reshape(low, shape=(1, *shape)) if count else filled((0, *shape), working.type(0))
        )
    if wanted is not None and wanted != working:
        if is_integer(wanted) and is_floating(working):
            points = ops.floor(points)
        points = ops.convert(points, dtype=wanted)
    place = as_axis("linspace", axis, len(shape) + 1)
    order = [*range(1, len(shape) + 1)]
    order.insert(place, 0)
    result = _placed(
        points if place == 0 else ops.transpose(points, permutation=tuple(order)), device
    )
    return (result, step) if retstep else result


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """`num` numbers from `base ** start` to `base ** stop` whose logarithms are evenly spaced."""
    points = power(base, linspace(start, stop, num, endpoint, axis=axis))
    wanted = as_dtype("logspace", dtype)
    return points if wanted is None else ops.convert(points, dtype=wanted)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """`num` numbers from `start` to `stop`, each the same multiple of the one before."""
    start, stop = promote("geomspace", start, stop, inexact=True)
    signs = sign(start)
    points = exp(
        linspace(log(divide(start, signs)), log(divide(stop, signs)), num, endpoint, axis=axis)
    )
    wanted = as_dtype("geomspace", dtype)
    points = multiply(points, signs)
    return points if wanted is None else ops.convert(points, dtype=wanted)


def eye(
    N: int,  # noqa: N803
    M: int | None = None,  # noqa: N803
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
) -> Array:
    """Ones on a diagonal, zeros elsewhere.

    Example:
        >>> print(eye(2))
        [[1. 0.]
         [0. 1.]]
    """
    rows = as_index("eye", "N", N)
    columns = rows if M is None else as_index("eye", "M", M)
    wanted = as_dtype("eye", dtype) or default_dtype(float)
    if on_host():
        return _placed(made(np.eye(rows, columns, as_index("eye", "k", k)).astype(wanted)), device)
    whole = default_dtype(int)
    row, column = _iota((rows, columns), 0, whole), _iota((rows, columns), 1, whole)
    same = ops.compare(ops.add(row, whole.type(as_index("eye", "k", k))), column, direction="eq")
    return _placed(ops.convert(same, dtype=wanted), device)


def identity(n: int, dtype: DTypeLike | None = None) -> Array:
    """The square matrix with ones on its diagonal."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = None) -> Array:  # noqa: N803
    """Ones on and below a diagonal, zeros above.

    Example:
        >>> print(tri(2))
        [[1. 0.]
         [1. 1.]]
    """
    columns = N if M is None else M
    wanted = as_dtype("tri", dtype) or default_dtype(float)
    return ops.convert(lower_mask(N, columns, k), dtype=wanted)


def lower_mask(rows: int, columns: int, k: int) -> Array:
    """Which elements of a matrix are on or below diagonal `k`."""
    if on_host():
        return made(np.tri(rows, columns, k, dtype=np.bool_))
    whole = default_dtype(int)
    row, column = _iota((rows, columns), 0, whole), _iota((rows, columns), 1, whole)
    return ops.compare(ops.add(row, whole.type(k)), column, direction="ge")


def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: DTypeLike = float, **kwargs: Any
) -> Any:
    """The value of a vectorised function at each index of a shape."""
    return function(*indices(shape, dtype=dtype), **kwargs)


def indices(dimensions: Sequence[int], dtype: DTypeLike | None = None, sparse: bool = False) -> Any:
    """For each axis of a shape, the positions along it, as an array of that shape."""
    sizes = as_shape("indices", dimensions)
    wanted = as_dtype("indices", dtype) or default_dtype(int)
    parts = []
    for axis, size in enumerate(sizes):
        if sparse:
            shape = tuple(size if i == axis else 1 for i in range(len(sizes)))
            parts.append(ops.reshape(arange(size, dtype=wanted), shape=shape))
        else:
            parts.append(_iota(sizes, axis, wanted))
    if sparse:
        return tuple(parts)
    if not parts:
        return filled((0,), wanted.type(0))
    return ops.concatenate([ops.reshape(part, shape=(1, *sizes)) for part in parts], dimension=0)


def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """Arrays of coordinates for the grid that vectors span.

    Raises:
        ValueArgumentError: an argument is not a vector, or `indexing` is neither "xy" nor "ij".

    Example:
        >>> x, y = meshgrid(arange(2), arange(3))
        >>> print(x.shape)
        (3, 2)
    """
    if indexing not in ("xy", "ij"):
        raise ValueArgumentError(f"meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}")
    vectors = [array_of(coerce("meshgrid", i, x)) for i, x in enumerate(xi)]
    for vector in vectors:
        if vector.ndim > 1:
            raise ValueArgumentError(
                f"meshgrid: arguments must be vectors, got shape {vector.shape}"
            )
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
    return tuple(grids)


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803
    """The powers of each element, as the columns of a matrix.

    Raises:
        ValueArgumentError: `x` is not a vector.
    """
    vector = array_of(coerce("vander", 0, x))
    if vector.ndim != 1:
        raise ValueArgumentError("vander: x must be a one-dimensional array")
    count = vector.size if N is None else as_index("vander", "N", N)
    dtype = vector.dtype
    if is_bool(dtype):
        dtype = default_dtype(int)
        vector = ops.convert(vector, dtype=dtype)
    exponents = range(count) if increasing else range(count - 1, -1, -1)
    columns = [
        ops.reshape(ops.integer_power(vector, exponent=e), shape=(vector.size, 1))
        for e in exponents
    ]
    if not columns:
        return filled((vector.size, 0), dtype.type(0))
    return ops.concatenate(columns, dimension=1)
